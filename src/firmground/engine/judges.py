"""Judges by name.

::

    builtin                          the shipped model and the word figures (the default)
    builtin:/path/own.json           the same with fusion and limits of your own (firmground train)
    builtin:/path/to/weights         the same shape with weights of your own (training/README.md)
    lexical                          the word figures alone, fastest
    builtin!quotes,ranks             without the checks named; also lexical!…
    nli:WHERE                        a model of yours; also minicheck, factcg, hhem, lettucedetect
    nli@0.4:WHERE                    … that lets a claim stand from 0.4 on
    cascade:lexical,builtin          the second judges only what the first is unsure of
    cascade@0.2-0.9:builtin,nli:WHERE … and unsure means a support in that band
    NAME                             a judge that an installed package offers (``core.plugins``)

WHERE is a directory, an ``.onnx`` file with its config and tokenizer beside it, the id of a model
in the hub's local cache, or ``hub:ORG/NAME`` to allow a download.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from threading import Lock

from firmground.adapters.judges import MODEL_JUDGES, model_judge
from firmground.core import plugins
from firmground.core.ports import ComputingJudge, Judge
from firmground.errors import InputError, did_you_mean
from firmground.pipeline.check import BoundJudge
from firmground.verify.builtin import judge_over
from firmground.verify.cascade import Band, Cascade
from firmground.verify.checks import CHECKS, STRICT_CHECKS, RegisteredCheck, identity
from firmground.verify.judge import LexicalJudge
from firmground.verify.lexical import lexical_weights
from firmground.verify.neural import MODEL_DIR, NeuralScorer, available, model_version

JUDGES = ("builtin", "lexical")
"""The judges that come with the package."""
_NAME = re.compile(
    r"(?P<kind>[a-z]+)(?:!(?P<off>[^:@]+))?(?:@(?P<limit>[^:]*))?(?::(?P<where>.+))?", re.DOTALL
)


Checks = tuple[RegisteredCheck, ...]
_LOADING = Lock()
"""Weights are loaded by one thread at a time, so never twice."""


def bound_judge(judge: Judge | str) -> BoundJudge:
    """Bind a judge to the name under which it is recorded; one given by name is loaded once."""
    if isinstance(judge, str):
        with _LOADING:
            return judge_of(judge)
    if not callable(getattr(judge, "assess", None)):
        kind = type(judge).__name__
        raise InputError(f"judge must be a name or an object with 'assess', got {kind}")
    computes = bool(getattr(judge, "computes", isinstance(judge, ComputingJudge)))
    return BoundJudge(judge=judge, name=judge_name(judge), computes=computes)


def judge_name(judge: Judge | str) -> str:
    """The recorded name of a judge: our own with their weights, a model with its prompts."""
    if isinstance(judge, str):
        return bound_judge(judge).name
    name = str(getattr(judge, "name", type(judge).__name__))
    prompts = getattr(judge, "prompts", ())
    return " ".join([name, *(f"{prompt} sha256:{digest}" for prompt, digest in prompts)])


@lru_cache(maxsize=16)
def judge_of(name: str) -> BoundJudge:
    """Return the judge of that name, made once; an unknown one is an error that lists the known."""
    read = _NAME.fullmatch(name)
    if read is None:
        return _installed(name)
    kind, limit, where = read["kind"], read["limit"], read["where"]
    off = _checks_named(read["off"], name) if read["off"] else frozenset()
    match kind:
        case "lexical" if limit is None and where is None:
            checks = _without(STRICT_CHECKS, off)
            return BoundJudge(
                judge=LexicalJudge(checks=checks), name=_lexical(checks), computes=True
            )
        case "builtin" if limit is None:
            return _builtin(where, _without(CHECKS, off))
        case _ if off:
            raise InputError(f"judge {name!r}: checks can be left out of builtin and lexical only")
        case "cascade":
            return _cascade(where or "", Band() if limit is None else _band(limit))
        case _ if kind in MODEL_JUDGES:
            return _model(kind, where or "", limit)
        case _:
            return _installed(name)


def _installed(name: str) -> BoundJudge:
    """The judge that an installed package offers under this name."""
    if name not in plugins.offered("judges"):
        raise InputError(f"judge {name!r} is unknown{_near(name)}; there are {_known()}")
    made = plugins.load("judges", name)
    return bound_judge(made() if isinstance(made, type) else made)


def _near(name: str) -> str:
    return did_you_mean(name.partition(":")[0], [*JUDGES, *MODEL_JUDGES, "cascade"])


def _known() -> str:
    others = ", ".join(f"{kind}:WHERE" for kind in MODEL_JUDGES)
    return f"{', '.join(JUDGES)}, {others}, and cascade:FIRST,SECOND"


def _checks_named(text: str, judge: str) -> frozenset[str]:
    """Read the names of checks to leave out; an unknown one is an error that lists the known."""
    known = [check.name for check in CHECKS]
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            raise InputError(
                f"judge {judge!r}: no check is named {name!r}{did_you_mean(name, known)}; "
                f"there are {', '.join(known)}"
            )
    return frozenset(names)


def _without(checks: Checks, off: frozenset[str]) -> Checks:
    return tuple(check for check in checks if check.name not in off)


def _lexical(checks: Checks = STRICT_CHECKS) -> str:
    return f"lexical {lexical_weights().version} checks {identity(checks)}"


def _builtin(where: str | None, checks: Checks) -> BoundJudge:
    place = MODEL_DIR if where is None else Path(where).expanduser()
    if place.is_dir():
        if not available(place):
            raise InputError(f"{place}: holds no model.onnx and tokenizer.json")
        neural, own = NeuralScorer(place), ""
    else:
        neural = NeuralScorer(meta_file=place)
        own, place = f" fitted {neural.meta.fitted}", MODEL_DIR
    return BoundJudge(
        judge=judge_over(neural, checks),
        name=f"builtin {model_version(place)}{own} with {_lexical()}, checks {identity(checks)}",
        risk=neural.meta.risk,
        computes=True,
    )


def _model(kind: str, where: str, limit: str | None) -> BoundJudge:
    options = {} if limit is None else {"grounded_from": _number(limit, f"judge {kind}@{limit}")}
    judge = model_judge(kind, where, **options)
    return BoundJudge(judge=judge, name=f"{judge.name} with {_lexical()}", computes=True)


def _cascade(where: str, band: Band) -> BoundJudge:
    first, comma, rest = where.partition(",")
    if not comma or not first or not rest:
        raise InputError(f"judge cascade:{where}: needs two judges, as cascade:lexical,builtin")
    one = judge_of(first)
    two = _cascade(rest, band) if "," in rest else judge_of(rest)
    cascade = Cascade(
        first=one.judge,
        second=two.judge,
        band=band,
        first_name=one.name,
        second_name=two.name,
    )
    return BoundJudge(
        judge=cascade, name=cascade.name, risk=two.risk or one.risk, computes=two.computes
    )


def _band(limit: str) -> Band:
    low, dash, high = limit.partition("-")
    if not dash:
        raise InputError(f"judge cascade@{limit}: the band is written as LOW-HIGH, as 0.2-0.9")
    where = f"judge cascade@{limit}"
    return Band(low=_number(low, where), high=_number(high, where))


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{where}: {text!r} is not a number") from None
