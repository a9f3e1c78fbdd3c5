"""What a model calls its classes; read from its own configuration, never guessed by position."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firmground.adapters.judges.location import ModelLocation
from firmground.errors import InputError

_ENTAILED = frozenset(
    "entailment entail entails entailed supported supports consistent yes".split()
)
_AGAINST = frozenset(
    "contradiction contradict contradicts contradicted contradictory refuted refutes "
    "conflict".split()
)
_NEITHER = frozenset(
    "neutral notentailment notentailed nei notenoughinfo unsupported notsupported inconsistent "
    "hallucinated hallucination ungrounded baseless no".split()
)
_SOUND = frozenset("o supported grounded consistent factual nothallucinated ok".split())
_GENERIC = re.compile(r"label_?\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Classes:
    """Which output says that the evidence supports the text, and which that it says otherwise."""

    supported: int
    contradicted: int | None
    """None when the model does not distinguish silence from contradiction."""
    count: int


def label_names(place: ModelLocation) -> tuple[str, ...]:
    """Give the model's own label names in the order of its outputs; empty when it names none."""
    found = place.config.get("id2label")
    if found is None or found == {}:
        return ()
    whole = isinstance(found, dict) and set(found) == {str(at) for at in range(len(found))}
    if not whole or not all(isinstance(name, str) for name in found.values()):
        raise InputError(
            f'{place.config_file}: id2label must say names by number, {{"0": …, "1": …}}'
        )
    return tuple(found[str(at)] for at in range(len(found)))


def nli_classes(place: ModelLocation) -> Classes:
    """Read entailment, neutral and contradiction from ``id2label``; in doubt it is an error."""
    names = label_names(place)
    plain = [_plain(name) for name in names]
    supported = [at for at, name in enumerate(plain) if name in _ENTAILED]
    against = [at for at, name in enumerate(plain) if name in _AGAINST]
    known = all(name in _ENTAILED | _AGAINST | _NEITHER for name in plain)
    if len(names) < 2 or len(supported) != 1 or len(against) > 1 or not known:
        raise InputError(
            f"{place.config_file}: id2label must say which label is entailment, neutral and "
            f"contradiction; it says {', '.join(names) or 'nothing'}"
        )
    return Classes(
        supported=supported[0], contradicted=against[0] if against else None, count=len(names)
    )


def yes_no_classes(place: ModelLocation) -> Classes:
    """Read a two-class checker: by its names, or 1 = supported where it has only numbers.

    MiniCheck, FactCG and HHEM are published with 1 = supported and unnamed labels.
    """
    names = label_names(place)
    if names and not all(_GENERIC.fullmatch(_plain(name)) for name in names):
        return nli_classes(place)
    if len(names) > 2:
        raise InputError(f"{place.config_file}: id2label has {len(names)} labels; two are expected")
    return Classes(supported=1, contradicted=None, count=2)


def token_classes(place: ModelLocation) -> Classes:
    """Read a token labeller: by its names, or 0 = supported where it has only numbers.

    LettuceDetect is published with 0 = supported, 1 = hallucinated and unnamed labels.
    """
    names = label_names(place)
    plain = [_plain(name) for name in names]
    if not names or (len(names) == 2 and all(_GENERIC.fullmatch(name) for name in plain)):
        return Classes(supported=0, contradicted=None, count=2)
    sound = [at for at, name in enumerate(plain) if name in _SOUND]
    against = [at for at, name in enumerate(plain) if name.removeprefix("i-") in _AGAINST]
    if len(names) < 2 or len(sound) != 1:
        raise InputError(
            f"{place.config_file}: id2label must name one label for supported tokens; it says "
            f"{', '.join(names)}"
        )
    return Classes(
        supported=sound[0], contradicted=against[0] if against else None, count=len(names)
    )


def _plain(name: str) -> str:
    lowered = name.strip().lower()
    if _GENERIC.fullmatch(lowered):
        return lowered
    return re.sub(r"[\s_]|(?<!^i)-", "", lowered)
