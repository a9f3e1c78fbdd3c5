"""Judges by name.

::

    builtin                          the shipped model and the word figures (the default)
    builtin:/path/own.json           the same with fusion and limits of your own (firmground train)
    builtin:/path/to/weights         the same shape with weights of your own (training/README.md)
    lexical                          the word figures alone, fastest
    nli:WHERE                        a model of yours; also minicheck, factcg, hhem, lettucedetect
    nli@0.4:WHERE                    … that lets a claim stand from 0.4 on
    cascade:lexical,builtin          the second judges only what the first is unsure of
    cascade@0.2-0.9:builtin,nli:WHERE … and unsure means a support in that band

WHERE is a directory, an ``.onnx`` file with its config and tokenizer beside it, the id of a model
in the hub's local cache, or ``hub:ORG/NAME`` to allow a download.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from firmground.adapters.judges import MODEL_JUDGES, model_judge
from firmground.core.ports import Judge
from firmground.errors import InputError, did_you_mean
from firmground.verify.builtin import BuiltinScorer, builtin_limits
from firmground.verify.cascade import Band, Cascade
from firmground.verify.judge import LexicalJudge
from firmground.verify.lexical import lexical_weights
from firmground.verify.neural import MODEL_DIR, NeuralScorer, available, model_version
from firmground.verify.risk import RiskWeights

JUDGES = ("builtin", "lexical")
"""The judges that come with the package."""
DEFAULT_JUDGE = "builtin"
_NAME = re.compile(r"(?P<kind>[a-z]+)(?:@(?P<limit>[^:]*))?(?::(?P<where>.+))?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A judge, what is recorded about it, and how its claims add up to a risk."""

    judge: Judge
    recorded: str
    risk: RiskWeights | None
    """None means the lexical scorer's."""


@lru_cache(maxsize=16)
def judge_of(name: str) -> Named:
    """Return the judge of that name, made once; an unknown one is an error that lists the known."""
    read = _NAME.fullmatch(name)
    if read is None:
        raise InputError(f"judge {name!r} is unknown{_near(name)}; there are {_known()}")
    kind, limit, where = read["kind"], read["limit"], read["where"]
    match kind:
        case "lexical" if limit is None and where is None:
            return Named(judge=LexicalJudge(), recorded=_lexical(), risk=None)
        case "builtin" if limit is None:
            return _builtin(where)
        case "cascade":
            return _cascade(where or "", Band() if limit is None else _band(limit))
        case _ if kind in MODEL_JUDGES:
            return _model(kind, where or "", limit)
        case _:
            raise InputError(f"judge {name!r} is unknown{_near(name)}; there are {_known()}")


def _near(name: str) -> str:
    return did_you_mean(name.partition(":")[0], [*JUDGES, *MODEL_JUDGES, "cascade"])


def _known() -> str:
    others = ", ".join(f"{kind}:WHERE" for kind in MODEL_JUDGES)
    return f"{', '.join(JUDGES)}, {others}, and cascade:FIRST,SECOND"


def _lexical() -> str:
    return f"lexical {lexical_weights().version}"


def _builtin(where: str | None) -> Named:
    place = MODEL_DIR if where is None else Path(where).expanduser()
    if place.is_dir():
        if not available(place):
            raise InputError(f"{place}: holds no model.onnx and tokenizer.json")
        neural, own = NeuralScorer(place), ""
    else:
        neural = NeuralScorer(meta_file=place)
        own, place = f" fitted {neural.meta.fitted}", MODEL_DIR
    return Named(
        judge=LexicalJudge(
            scorers=(BuiltinScorer(neural=neural),),
            limits=builtin_limits(neural.meta.claim_threshold),
        ),
        recorded=f"builtin {model_version(place)}{own} with {_lexical()}",
        risk=neural.meta.risk,
    )


def _model(kind: str, where: str, limit: str | None) -> Named:
    options = {} if limit is None else {"grounded_from": _number(limit, f"judge {kind}@{limit}")}
    judge = model_judge(kind, where, **options)
    return Named(judge=judge, recorded=f"{judge.name} with {_lexical()}", risk=None)


def _cascade(where: str, band: Band) -> Named:
    first, comma, rest = where.partition(",")
    if not comma or not first or not rest:
        raise InputError(f"judge cascade:{where}: needs two judges, as cascade:lexical,builtin")
    one = judge_of(first)
    two = _cascade(rest, band) if "," in rest else judge_of(rest)
    cascade = Cascade(
        first=one.judge,
        second=two.judge,
        band=band,
        first_name=one.recorded,
        second_name=two.recorded,
    )
    return Named(judge=cascade, recorded=cascade.name, risk=two.risk or one.risk)


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
