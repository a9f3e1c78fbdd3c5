"""Detects whether a question is in English, the only language preflight reads."""

from __future__ import annotations

from firmground.preflight.question_text import word_set

_FEWEST_WORDS = 3
_ENGLISH = word_set(
    """a about after all an and any are as at be been before but by can could did do does for from
    give had has have he her his how i if in into is it its list may me my no not of on or our out
    please she should so some tell than that the their them then there these they this those to
    under up us was we were what when where which who whom whose why will with would you your"""
)
_OTHERS = word_set(
    """aan aber al alla als am ao as att até au auch auf aus aux av avec bei bin bir bis bu ce
    ces cette che chi com combien come comment como con cosa cuál cuáles cuándo cuánto
    cuántos czy cómo da dans das dass dat de dei del della delle dello dem den depuis der
    des desde det deze di die dies diese dieser dit dla do door dos dove du dónde e een ein
    eine einem einen einer eines el ella elle em en entre er era es est esta este está et
    ett foi från fue för für geen gibt gli ha haben had hanno har hat hatte hay heeft het
    hij hoe hur hvad hvem hvor hvordan ich ihr ik ikke il ile ils im in inte is isso ist
    için ja jag jak je jest kan kann kein keine kiedy kto która które który la las le lequel
    les leur lo los ma maar mais med mein met mit mon muy más na naar nach nas nasıl ne
    nedir nel nella nicht nie niet noch nog non nos nous nur não när o och od oder of også
    om onde ook op os ou où par para pas pela pelo per perché pero più po por porque pour
    pourquoi på qual quale quali quand quando quanto que quel quelle quelles quels quem
    questo qui quién qué sa se según sein seine ses seu si sich sie sin sind się som son
    sono sont su sua suo sur sus são såsom są também te tem til till to uit um uma un una
    und une unos uns unser vad van var ve ved vem vi viel vilken você vom von voor vor vous
    w waar waarom wann wanneer war waren warum was wat welche welcher welches welke wer
    werden wie wieviel wij wir wird wo wurde y z za zijn zou zu zum zur zwischen às è était
    über że"""
)
_FOREIGN = _OTHERS - _ENGLISH
_LATIN_UNTIL = "\u024f"


def is_english(ordered: list[str], text: str) -> bool | None:
    """True or False where the script or the function words decide; None for too short a text."""
    letters = [c for c in text[:2000] if c.isalpha()]
    strange = sum(c > _LATIN_UNTIL for c in letters)
    if strange * 2 > len(letters) and len(letters) > 1:
        return False
    english = sum(word in _ENGLISH for word in ordered)
    foreign = sum(word in _FOREIGN for word in ordered)
    if len(ordered) < _FEWEST_WORDS or not english + foreign:
        return None
    return not (foreign >= 2 and foreign > 2 * english) and not (foreign and not english)
