"""Forms of English verbs: what stands behind an auxiliary, and the past and third person of it."""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

from functools import cache

from firmground.claims import words as en

_IRREGULAR = {
    base: (past, participle)
    for base, past, participle in (
        entry.split("/")
        for entry in (
            "be/was/been have/had/had do/did/done go/went/gone get/got/got make/made/made take/took/taken "
            "run/ran/run begin/began/begun rise/rose/risen fall/fell/fallen pay/paid/paid lend/lent/lent "
            "build/built/built freeze/froze/frozen keep/kept/kept bring/brought/brought cost/cost/cost "
            "sell/sold/sold buy/bought/bought eat/ate/eaten drink/drank/drunk sleep/slept/slept lead/led/led "
            "win/won/won lose/lost/lost grow/grew/grown break/broke/broken speak/spoke/spoken write/wrote/written "
            "read/read/read drive/drove/driven fly/flew/flown swim/swam/swum teach/taught/taught catch/caught/caught "
            "send/sent/sent spend/spent/spent stand/stood/stood leave/left/left know/knew/known see/saw/seen "
            "hear/heard/heard come/came/come give/gave/given find/found/found feel/felt/felt say/said/said "
            "tell/told/told think/thought/thought become/became/become show/showed/shown hold/held/held meet/met/met "
            "set/set/set put/put/put cut/cut/cut let/let/let shut/shut/shut mean/meant/meant wear/wore/worn "
            "draw/drew/drawn throw/threw/thrown sing/sang/sung ring/rang/rung lie/lay/lain lay/laid/laid sit/sat/sat "
            "choose/chose/chosen withdraw/withdrew/withdrawn forget/forgot/forgotten understand/understood/understood "
            "undergo/underwent/undergone overcome/overcame/overcome bear/bore/borne beat/beat/beaten bite/bit/bitten "
            "blow/blew/blown burst/burst/burst deal/dealt/dealt dig/dug/dug feed/fed/fed fight/fought/fought "
            "flee/fled/fled forbid/forbade/forbidden forgive/forgave/forgiven hide/hid/hidden hit/hit/hit hurt/hurt/hurt "
            "ride/rode/ridden seek/sought/sought shake/shook/shaken shoot/shot/shot shrink/shrank/shrunk sink/sank/sunk "
            "spread/spread/spread steal/stole/stolen stick/stuck/stuck strike/struck/struck sweep/swept/swept "
            "tear/tore/torn wake/woke/woken bind/bound/bound sow/sowed/sown hang/hung/hung quit/quit/quit split/split/split "
            "overtake/overtook/overtaken rebuild/rebuilt/rebuilt resell/resold/resold undo/undid/undone reset/reset/reset "
            "bid/bid/bid cast/cast/cast slide/slid/slid swear/swore/sworn"
        ).split()
    )
}
_MORE_BASES = frozenset(
    "accelerate accompany accrue achieve acknowledge acquire activate adapt address adhere adjust administer admit adopt advise afford agree aim alert "
    "allocate alter amend announce answer appeal appear appoint argue arrange assign assist assume attach attend attract audit authorise authorize avoid "
    "award balance ban bar block book boost bypass calculate carry cease certify charge circulate clean clear clone collect combine comment commit compare "
    "compensate compete complain complete comply concern conclude conduct configure confirm conflict connect consider consume continue contribute control "
    "convert cook copy correct count crash create cross cure damage deactivate decide declare decline deduct default define delay delegate deliver demand "
    "deploy deposit derive describe deserve destroy detect determine develop differ direct disable disappear discharge disclose discontinue discount discuss display "
    "dispose dispute distribute divide donate double duplicate earn edit elect eliminate email emit enable encourage encrypt endorse enforce engage enjoy enroll "
    "ensure enter equal escalate establish evaluate evolve examine exceed exchange exclude exempt exist expand expect expire explain expose extract fail favour feature "
    "file fill filter finance finish fit flow fold follow force forward found function fund gain generate govern grant guarantee guard handle harm heal heat "
    "hibernate highlight hurt identify ignore impact implement imply impose improve incorporate incur indicate induce infect inform inherit inhibit injure insert "
    "inspect install instruct insure integrate intend interact interest interfere interrupt introduce invalidate invest investigate invite involve issue join "
    "justify knock label lack lapse launch learn license lift limit link list listen load locate lock log look love maintain manage manufacture mark match matter "
    "meet mention merge migrate miss mix modify monitor mount multiply name negotiate notify obey oblige observe obtain occupy occur offset omit operate oppose order "
    "organise organize outperform overlap override oversee owe pack park participate pass pause penetrate permit persist phase pick plan plant pledge point poll pose possess "
    "post postpone power practise predict prefer prepare prescribe present preserve press print proceed prohibit promise promote propose prosecute prove provide "
    "publish pull pump purchase purge push qualify quit rank rate reach react rebate recall receive reclaim recognise recognize recommend reconnect recover recruit recycle redirect "
    "reduce refer refill reflect refresh refuse register regulate reimburse reject relate release rely relocate remain remember remind remove render repay repeat replace "
    "replicate reply report represent reproduce require reschedule rescue reserve reset reside resign resist resolve respond restore restrict result resume retain "
    "retire retry retrieve return reveal reverse revert review revise revoke reward roll rotate route rule sail sample sanction satisfy save scale scan schedule score screen search "
    "secure select separate serve settle shape shift shrink sign simplify skip slow snow sound specialise specialize specify split sponsor staff stem stock store stream stretch "
    "strip submit subscribe substitute succeed sue suffer suggest suit supersede supervise supply support surrender survive suspend sustain switch sync synchronise synchronize tackle target taste tax tend "
    "terminate testify throttle tie time tolerate top total touch track trade train transfer transform translate transmit transport trigger triple trust try turn undercut undergo understand "
    "unlock unsubscribe update uphold urge validate vary verify view violate visit void volunteer vote waive want warn warrant wash waste water weaken win withdraw withhold withstand witness worsen wrap yield zip rain exit hike age bake boil charge drain graze ripen bloom melt dissolve".split()
)
_NOT_BASES = frozenset(
    "plans plays results works states reports claims notes looks changes costs uses covers needs features hosts tracks turns returns".split()
)
_DOUBLED = frozenset(
    "stop plan drop ship permit refer occur prefer commit submit admit ban bar skip strip tap trim scan wrap zip log fit pin plot rip rob sip slip snap step swap tag tip top transfer trap".split()
)
_VOWELS = "aeiou"
PARTICIPLES = frozenset(participle for _, participle in _IRREGULAR.values()) | frozenset(
    "sewn sworn proven gotten known born lit".split()
)
"""Irregular past participles."""


@cache
def base_verbs() -> frozenset[str]:
    """Base forms of common verbs, as they stand behind an auxiliary."""
    found = set(en.BASE_VERBS) | set(_IRREGULAR) | _MORE_BASES
    for word in en.VERBS:
        if word.endswith("ies"):
            found.add(word[:-3] + "y")
        elif word.endswith("s") and not word.endswith("ss"):
            found.add(word[:-1])
        elif word.endswith("ed"):
            found |= {word[:-1], word[:-2]}
    return frozenset(found | (en.BARE_FORMS - _NOT_BASES))


def past(base: str) -> str:
    """The simple past of a verb.

    >>> past("open"), past("stop"), past("carry"), past("begin"), past("close")
    ('opened', 'stopped', 'carried', 'began', 'closed')
    """
    if base in _IRREGULAR:
        return _IRREGULAR[base][0]
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ied"
    return base + (base[-1] if base in _DOUBLED else "") + "ed"


def third_person(base: str) -> str:
    """The form of a verb behind *he*, *she* or *it*.

    >>> third_person("include"), third_person("pass"), third_person("carry"), third_person("have")
    ('includes', 'passes', 'carries', 'has')
    """
    if base in ("have", "do", "go", "be"):
        return {"have": "has", "do": "does", "go": "goes", "be": "is"}[base]
    if base.endswith(("s", "x", "z", "ch", "sh")):
        return base + "es"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ies"
    return base + "s"


@cache
def _forms() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for base in sorted(en.BASE_VERBS | _MORE_BASES | _IRREGULAR.keys()):
        if base.isalpha():
            found.setdefault(past(base), ("did", base))
            found.setdefault(third_person(base), ("does", base))
    return {form: read for form, read in found.items() if form not in _IRREGULAR}


def read_verb(form: str) -> tuple[str, str] | None:
    """The auxiliary and the base form that a finite verb stands for; None for other words.

    >>> read_verb("opened"), read_verb("includes")
    (('did', 'open'), ('does', 'include'))
    """
    return _forms().get(form)
