"""Small lists of words that mean the same, the opposite, or one of several that exclude another."""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

import re
from functools import cache, lru_cache

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.select import stem

# Each line has two sides; every word of the one is the opposite of every word of the other.
_SIDES = """
increase increased rise rose risen rising grew grow grown climbed climb surged soared jumped gained / decrease decreased reduce reduced fall fell fallen falling shrank shrink shrunk dropped drop declined decline sank plunged slipped
up / down
win won beat / lose lost
before / after
first / last
north northern / south southern
east eastern / west western
more / less fewer
higher / lower
larger bigger / smaller
highest / lowest
largest biggest / smallest
longest / shortest
longer / shorter
older / younger
oldest / youngest
faster / slower
better / worse
best / worst
most / least
earlier / later
above / below
over / under
open opened / closed
allow allowed allows permit permitted permits / forbid forbidden forbids prohibit prohibited prohibits ban banned bans disallow disallowed denied
authorized authorised / unauthorized unauthorised
enable enabled enables / disable disabled disables
import / export
buy bought / sell sold
male / female
always / never
accept accepted approve approved grant granted / reject rejected deny denied refused
succeed succeeded succeeds success successful successfully pass passed / fail failed fails failure unsuccessful unsuccessfully failing
online / offline
started start / stopped stop
connected connect / disconnected disconnect
encrypted / unencrypted plaintext
locked lock / unlocked unlock
healthy / unhealthy
reachable / unreachable
available / unavailable
stable / unstable
safe / unsafe
valid / invalid
public / private
internal / external
synchronous synchronously / asynchronous asynchronously
added / removed
hired / fired
active / inactive
present / absent
hot / cold
true / false
guilty / innocent acquitted
alive / dead
legal / illegal
positive / negative
maximum / minimum
left / right
inside / outside
gain profit / loss
support / oppose
agree / disagree
confirm confirmed / deny denied
upper / lower
strengthen / weaken
expand / contract
include included / exclude excluded
son / daughter
husband / wife
brother / sister
mother / father
man / woman
boy / girl
free / paid chargeable
mandatory required compulsory obligatory / optional voluntary
upgrade upgraded / downgrade downgraded
mehr / weniger
größer / kleiner
stieg steigt stiegen gestiegen erhöhte erhöht wuchs wuchsen steigen / sank sinkt sanken gesunken fiel fielen fällt fallen gefallen senkte gesenkt schrumpfte
erlaubt zulässig gestattet / verboten untersagt unzulässig
aktiviert eingeschaltet / deaktiviert ausgeschaltet
erfolgreich gelang / fehlgeschlagen gescheitert scheiterte erfolglos
vor / nach
immer / nie niemals
plus / moins
augmenté augmente augmentent augmentation hausse monté / baissé baisse baissent diminué diminue diminution recul
autorisé autorisée permis permise / interdit interdite défendu
activé activée / désactivé désactivée
réussi / échoué
avant / après
toujours / jamais
más / menos
mayor / menor
aumentó aumentaron aumenta subió subieron sube creció crecieron / disminuyó disminuyeron disminuye bajó bajaron baja cayó cayeron
permitido permitida autorizado / prohibido prohibida
habilitado activado / deshabilitado desactivado
antes / después
siempre / nunca
"""
# Words of one line stand for one another.
_SAME = """
need needs needed require requires required requirement necessary necessity
happen happens happened occur occurs occurred
begin began start started
stop stopped end ended
use used utilize utilized
buy bought purchase purchased acquire acquired
allow allowed permit permitted
forbid forbidden prohibit prohibited ban banned
fix fixed repair repaired
store stored keep kept
delete deleted remove removed erase erased
shut close closed
big large
"""
# Each line is a set of which a thing can be only one; spellings of one member stand between bars.
_KINDS = """
ceo|chief executive officer|chief executive ; cfo|chief financial officer|finance chief ; cto|chief technology officer|chief technical officer ; coo|chief operating officer ; cio|chief information officer ; cmo|chief marketing officer ; ciso|chief information security officer
customer ; manager ; engineer ; vendor|supplier ; auditor ; administrator|admin ; contractor ; landlord ; tenant ; buyer ; seller ; employer ; employee
production|prod ; staging ; development ; sandbox
tcp ; udp
primary ; secondary ; tertiary
red ; green ; blue ; yellow ; black ; white ; orange ; purple ; brown
spring ; summer ; autumn ; winter
mandatory ; recommended ; forbidden
"""
_LINE = lazy_pattern(r"\s*;\s*")


@cache
def _opposites() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for line in _SIDES.strip().splitlines():
        one, other = (frozenset(stem(word) for word in side.split()) for side in line.split("/"))
        for mine, theirs in ((one, other), (other, one)):
            for word in mine:
                table[word] = table.get(word, frozenset()) | theirs
    return table


def opposites(key: str) -> frozenset[str]:
    """Give the stems that say the opposite of a stem; none when it has no opposite."""
    return _opposites().get(key, frozenset())


def same_side(key: str) -> frozenset[str]:
    """Give a stem and those on its side of the opposites it has."""
    return frozenset({key}).union(*(opposites(other) for other in opposites(key)))


@cache
def _same() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for line in _SAME.strip().splitlines():
        row = frozenset(stem(word) for word in line.split())
        for word in row:
            table[word] = table.get(word, frozenset()) | row
    return table


def same_words(term: str) -> frozenset[str]:
    """Give the stems that say the same as a stem, itself left out."""
    return _same().get(term, frozenset()) - {term}


@cache
def _kinds() -> tuple[re.Pattern[str], dict[str, tuple[int, str]]]:
    table: dict[str, tuple[int, str]] = {}
    for at, line in enumerate(_KINDS.strip().splitlines()):
        for member in _LINE.split(line.strip()):
            spelled = member.split("|")
            table.update(dict.fromkeys(spelled, (at, spelled[0])))
    longest = sorted(table, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(longest)})s?\b", re.IGNORECASE), table


@lru_cache(maxsize=8192)
def kinds_said(text: str) -> tuple[tuple[int, int, int, str], ...]:
    """Give the members of exclusive sets that a text names: start, end, which set, which member."""
    pattern, table = _kinds()
    found = []
    for m in pattern.finditer(text):
        word = m.group().lower()
        at, member = table.get(word) or table[word.removesuffix("s")]
        found.append((m.start(), m.end(), at, member))
    return tuple(found)
