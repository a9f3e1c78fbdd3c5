"""Words of a statement that name an operation: total, difference, per, twice, after."""

# ruff: noqa: E501 - word lists and patterns read better in long lines
from __future__ import annotations

from functools import lru_cache

from firmground.core.segment import words

_CUES = {
    "sum": "total totals totalling together altogether sum sums combined plus including inclusive "
    "add adds added adding overall both come comes came amount amounts in-all cost costs bill "
    "billed pays pay owes and all merged jointly collectively",
    "difference": "difference more less fewer cheaper dearer longer shorter higher lower above "
    "below gap extra save saves saved saving savings left remaining remain remains rest after older "
    "younger later earlier besides without except discount reduction reduced further apart short "
    "behind ahead by over under deducted minus excluding exceeds exceeded spare another additional "
    "drop dropped fell rose grew gain gained increase increased decrease decreased margin cut lost "
    "lead loses up down balance outstanding still before previously beforehand net was other others "
    "only not missing shy away than excess beyond surplus lag sooner faster slower bigger smaller "
    "larger outlasts outlast deduct trails leads remainder unused available shrank reach reaches",
    "product": "each per every times monthly yearly annual annually year month week weeks months "
    "years daily total altogether cost costs pays pay full both people persons nights days hours "
    "for a an amount amounts billed spend spends worth earns dozen together come comes adds twice",
    "ratio": "times twice double half third quarter share percent per ratio fraction proportion "
    "average each split divided triple doubled halved tenth fifth eighth thrice % mean as every "
    "rate apiece",
    "percent": "percent % discount off charge deducted surcharge fee tax vat interest deposit "
    "commission increase reduction after before rebate bonus extra less more surplus half third "
    "quarter refund refunded gets back see",
    "duration": "last lasts lasted lasting took takes take between from until duration long longer "
    "for after later within elapsed passed before apart wait waited waiting ran runs running gap "
    "spent spends minutes hours days weeks months years open closed down outage delay since ago "
    "earlier over during past whole window span spans notice ahead advance",
    "moment": "until by at on from ends end ended begins began starts start started expires expire "
    "due deadline latest earliest over finished arrives arrive leaves last first before after no "
    "till through then when reopens closes finish expired expiry earliest back",
    "average": "average mean per typical typically averaged averages averaging each",
    "count": "of all only both each every several number count counted out none two three four "
    "five six seven eight nine ten different separate kinds types ways",
}  # fmt: skip
_TABLE: dict[str, frozenset[str]] = {}
for _operation, _listed in _CUES.items():
    for _word in _listed.split():
        _TABLE[_word] = _TABLE.get(_word, frozenset()) | {_operation}


@lru_cache(maxsize=4096)
def cues(statement: str) -> frozenset[str]:
    """Give the operations that words of a statement name."""
    found: frozenset[str] = frozenset()
    for word in words(statement):
        found |= _TABLE.get(word.text.lower(), frozenset())
    if "%" in statement:
        found |= {"percent", "ratio"}
    return found
