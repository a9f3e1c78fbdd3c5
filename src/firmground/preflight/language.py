"""Is this English? Preflight reads nothing else, and says so instead of calling it fine."""

from __future__ import annotations

from firmground.preflight.glance import word_set

_FEWEST_WORDS = 3
_ENGLISH = word_set(
    """a about after all an and any are as at be been before but by can could did do does for from
    give had has have he her his how i if in into is it its list may me my no not of on or our out
    please she should so some tell than that the their them then there these they this those to
    under up us was we were what when where which who whom whose why will with would you your"""
)
_OTHERS = word_set(
    """aber als am auch auf aus bei bin bis da das dass dem den der des die dies diese dieser du ein
    eine einem einen einer eines er es für gibt hat haben hatte ich ihr im ist ja kann kein keine
    mein mit nach nicht noch nur oder sein seine sich sie sind über um und uns unser viel vom von vor
    wann war waren warum was welche welcher welches wer werden wie wieviel wir wird wo wurde zu zum
    zur zwischen
    au aux avec ce ces cette combien comment dans depuis du elle est et était il ils je la le les leur
    lequel mais mon ne nous où ou par pas pour pourquoi quand que quel quelle quelles quels qui sa ses
    son sont sur un une vous
    al como cómo con cuál cuáles cuándo cuánto cuántos de del desde dónde el ella en entre era es esta
    está este fue ha hay las los más muy para pero por porque qué quién se según según si sin su sus
    una unos y
    alla che chi come cosa da dei della delle dello di dove e è gli ha hanno il lo ma nel nella non
    per perché più quale quali quando quanto questo sono suo
    ao as às até com da das do dos em foi isso mais não nas nos o onde os ou pela pelo qual quem são
    seu sua também tem uma você
    aan dat de deze dit door een en er geen had heeft het hij hoe ik in is kan maar met naar niet nog
    of om ook op te uit van voor waar waarom wanneer was wat welke wie wij zijn zou
    att av den det du en ett för från har hur hvad hvor hvordan hvem ikke inte jag med när när och
    også på såsom som till til var vad vem ved vi vilken
    czy dla jak jest kiedy kto która które który ma na nie od po są się to w z za że
    bir bu için ile ne nasıl nedir ve"""
)
_FOREIGN = _OTHERS - _ENGLISH
_LATIN_UNTIL = "\u024f"


def is_english(ordered: list[str], text: str) -> bool | None:
    """True or False where the script or the little words tell; None where too little is said."""
    letters = [c for c in text[:2000] if c.isalpha()]
    strange = sum(c > _LATIN_UNTIL for c in letters)
    if strange * 2 > len(letters) and len(letters) > 1:
        return False
    english = sum(word in _ENGLISH for word in ordered)
    foreign = sum(word in _FOREIGN for word in ordered)
    if len(ordered) < _FEWEST_WORDS or not english + foreign:
        return None
    return not (foreign >= 2 and foreign > 2 * english) and not (foreign and not english)
