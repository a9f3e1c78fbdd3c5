"""How each family of pair models wants to be asked, and how its figures are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import exp, isfinite
from typing import Any

from firmground.adapters.judges.backend import Figures, ModelInput
from firmground.adapters.judges.labels import Classes, label_names, nli_classes, yes_no_classes
from firmground.adapters.judges.location import ModelLocation
from firmground.adapters.judges.opinion import shares
from firmground.errors import InputError, ModelError

# The words the models were trained with; evidence and claim stand in the marked places.
FACTCG = (
    "{evidence}\n\nChoose your answer: based on the paragraph above can we conclude that "
    '"{claim}"?\n\nOPTIONS:\n- Yes\n- No\nI think the answer is '
)
HHEM = (
    "<pad> Determine if the hypothesis is true given the premise?\n\n"
    "Premise: {evidence}\n\nHypothesis: {claim}"
)
Told = tuple[float, float | None]
"""Probability of support, and of contradiction where the model knows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One family: evidence and claim to tokens, figures to probabilities."""

    encode: Callable[[Any, str, str], ModelInput]
    tell: Callable[[Any, Figures], Told]
    longest: int
    """Tokens of an input, at most."""


def nli_form(place: ModelLocation) -> Form:
    """Ask a cross-encoder: evidence as premise, claim as hypothesis."""
    tell = partial(_by_class, nli_classes(place))
    return Form(encode=_pair, tell=tell, longest=longest_input(place, 512))


def minicheck_form(place: ModelLocation) -> Form:
    """Ask MiniCheck: encoders read both texts with the end mark between, T5 writes 0 or 1."""
    shapes = [str(shape) for shape in place.config.get("architectures") or ()]
    if any(shape.endswith("ForConditionalGeneration") for shape in shapes):
        return Form(encode=partial(_joined, "predict: "), tell=_written, longest=512)
    tell = partial(_by_class, yes_no_classes(place))
    return Form(encode=partial(_joined, ""), tell=tell, longest=longest_input(place, 512))


def factcg_form(place: ModelLocation) -> Form:
    """Ask FactCG: one text with a question at its end."""
    tell = partial(_by_class, yes_no_classes(place))
    return Form(encode=partial(_filled, FACTCG), tell=tell, longest=longest_input(place, 512))


def hhem_form(place: ModelLocation) -> Form:
    """Ask HHEM: 2.1 by its prompt and first token, 1.0 as a pair with one figure."""
    if place.config.get("model_type") == "HHEMv2":
        words = str(place.config.get("prompt") or "")
        template = words.replace("{text1}", "{evidence}").replace("{text2}", "{claim}") or HHEM
        if "{evidence}" not in template or "{claim}" not in template:
            raise InputError(f"{place.config_file}: prompt names no {{text1}} and {{text2}}")
        return Form(encode=partial(_filled, template), tell=_first_token, longest=512)
    if len(label_names(place)) == 1:
        return Form(encode=_pair, tell=_one_figure, longest=longest_input(place, 512))
    tell = partial(_by_class, yes_no_classes(place))
    return Form(encode=_pair, tell=tell, longest=longest_input(place, 512))


FORMS: dict[str, Callable[[ModelLocation], Form]] = {
    "nli": nli_form,
    "minicheck": minicheck_form,
    "factcg": factcg_form,
    "hhem": hhem_form,
}


def longest_input(place: ModelLocation, wanted: int) -> int:
    """Give how many tokens the model can place, at most ``wanted``."""
    found = place.config.get("max_position_embeddings")
    if not isinstance(found, int) or found < 1:
        return wanted
    # RoBERTa counts its places from behind the padding token.
    offset = 2 if "roberta" in str(place.config.get("model_type", "")) else 0
    return min(wanted, found - offset)


def _tokens(encoding: Any) -> ModelInput:
    return ModelInput(ids=tuple(encoding.ids), types=tuple(encoding.type_ids))


def _pair(tokenizer: Any, evidence: str, claim: str) -> ModelInput:
    return _tokens(tokenizer.encode(evidence, claim))


def _filled(template: str, tokenizer: Any, evidence: str, claim: str) -> ModelInput:
    before, _, rest = template.partition("{evidence}")
    between, _, after = rest.partition("{claim}")
    return _tokens(tokenizer.encode(f"{before}{evidence}{between}{claim}{after}"))


def _joined(before: str, tokenizer: Any, evidence: str, claim: str) -> ModelInput:
    known = ("</s>", "[SEP]", "<|endoftext|>")
    mark = next((one for one in known if tokenizer.token_to_id(one) is not None), None)
    if mark is None:
        raise ModelError("the tokenizer has no mark for the end of a text")
    return _tokens(tokenizer.encode(f"{before}{evidence}{mark}{claim}"))


def _by_class(classes: Classes, tokenizer: Any, figures: Figures) -> Told:
    told = shares(figures, classes.count)
    against = told[classes.contradicted] if classes.contradicted is not None else None
    return told[classes.supported], against


def _first_token(tokenizer: Any, figures: Figures) -> Told:
    if not figures:
        raise ModelError("the model gave no figures")
    return shares(figures[0], 2)[1], None


def _one_figure(tokenizer: Any, figures: Figures) -> Told:
    if len(figures) != 1 or not isinstance(figures[0], float) or not isfinite(figures[0]):
        raise ModelError("the model gave no single finite figure")
    return 1 / (1 + exp(-max(-700.0, figures[0]))), None


def _written(tokenizer: Any, figures: Figures) -> Told:
    """Compare how likely the model is to write 1 and to write 0."""
    no, yes = (tokenizer.encode(digit, add_special_tokens=False).ids[0] for digit in "01")
    written = figures[0] if figures and isinstance(figures[0], list) else ()
    if no == yes or len(written) <= max(no, yes):
        raise ModelError("the model's first word cannot be read as 0 or 1")
    return shares([written[no], written[yes]], 2)[1], None
