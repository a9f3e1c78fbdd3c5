"""Characters that look like other characters, as plain data.

Only what Unicode's own compatibility mappings leave out is listed here: letters of one script that
pass for letters of another. Digits are left out on purpose, on both sides: a match must never
turn a letter into a digit or one digit into another.
"""

from __future__ import annotations

import unicodedata

# Latin letter, then everything outside basic Latin that passes for it.
_LETTERS = """
a аɑαᴀ⍺ꭺ
A АΑᎪꓮ𐊠
b ЬƄᑲᖯьƅЪ
B ВΒᏴꓐ𐊂в
c сϲᴄⲥⅽ
C СϹⲤꓚᏟ
d ԁԀɗᏧⅾ
D ᎠꓓᗞĐ
e еєεҽℯєɛꬲ
E ЕΕⴹᎬꓰ
f ϝғƒẝꞙ
F ϜҒᖴꓝꞘ
g ɡɢցƍᶃ
G ԌᏀꓖԍ
h һհᏂнի
H НΗⲎᎻꓧᕼ
i іιɩıɪᎥꙇⅰ
I ІΙӀⅠꓲⵏӀ
j јϳյʝ
J ЈᎫꓙͿ
k кκĸᴋҟ
K КΚⲔᏦꓗ
l ӏǀⅼاן
L ᏞꓡⳐԼⅬ
m мᴍⅿ
M МΜⲘϺᎷꓟ
n пηոռɴ
N ΝⲚꓠИ
o оοօσ᧐ᴏסഠ०
O ОΟՕⲞꓳ
p рρϱⲣᴘ
P РΡⲢᏢꓑ
q ԛգզᑫ
Q Ԛⵕ
r гᴦⲅꭇɾᴿʀ
R ᎡᏒꓣƦ
s ѕꜱƽ
S ЅՏᏕꓢ
t тτᴛԏ
T ТΤⲦᎢꓔ
u սυᴜʋц
U ՍᑌꓴԱ
v ѵνᴠⅴט
V ѴᏙꓦⅤ
w ԝωѡᴡա
W ԜᎳꓪ
x хχⅹ×ᕁ
X ХΧⲬꓫⅩ
y уγүყʏ
Y УΥҮᎩꓬⲨ
z ᴢʐ
Z ΖᏃꓜ
""".splitlines()

# Marks that pass for a plain mark without being an honest typographic variant of it.
_MARKS = {
    "'": "ʹʻʼʽʾˈˊˋʹ`´′‵ՙ՚׳ߴߵᛌꞌ＇",
    '"': "″‶ʺ˝״〃ˮ＂",
    "-": "⁃˗➖Ⲻᐨーㅡᅳ﹘﹣－﹉",
    ".": "․٠۰܁܂ꓸ。｡",
    ",": "‚،٫ꓹ，",
    ":": "׃։∶ː˸܃܄ꓽ︰：",
    ";": "；；؛",
    "!": "ǃⵑ！ꜝ",
    "?": "ʔɁॽ？",
    "/": "⁄∕⧸╱᜵／",
    "|": "∣❘ǁ｜¦",
    "*": "٭⁎∗＊",
    "~": "˜⁓∼～",
}


def _table() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _LETTERS:
        if line:
            plain, others = line.split(" ", 1)
            found.update(dict.fromkeys(others, plain))
    for plain, others in _MARKS.items():
        found.update(dict.fromkeys(others, plain))
    return {one: plain for one, plain in found.items() if unicodedata.category(one)[0] != "N"}


LOOK_ALIKES: dict[str, str] = _table()
"""From a look-alike to the plain character it passes for."""

INVISIBLE: frozenset[str] = frozenset(
    "\u034f\u061c\u17b4\u17b5\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u2065"
    "\u206a\u206b\u206c\u206d\u206e\u206f\ufeff\ufff9\ufffa\ufffb\U0001d173\U0001d174\U0001d175"
    "\U0001d176\U0001d177\U0001d178\U0001d179\U0001d17a\U000e0001"
)
"""Characters that occupy no room and change no letter."""

BLANK: frozenset[str] = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Characters that look like a space without being one."""

BIDI_MARKS: frozenset[str] = frozenset("\u061c\u200e\u200f")
"""Direction marks, honest in text that is written from right to left."""

BIDI_CONTROLS: frozenset[str] = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Embeddings, overrides and isolates, which can reorder what a reader sees."""

SOFT_HYPHEN = "\u00ad"


def is_variation_selector(char: str) -> bool:
    """True for the characters that pick a glyph and show nothing themselves."""
    return (
        "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
        or char in "\u180b\u180c\u180d\u180f"
    )


def is_tag(char: str) -> bool:
    """True for tag characters, which spell hidden ASCII."""
    return "\U000e0000" <= char <= "\U000e007f"


def is_bidi(char: str) -> bool:
    """True for characters that steer the direction of text."""
    return char in BIDI_MARKS or char in BIDI_CONTROLS


def shows_nothing(char: str) -> bool:
    """True for any character a reader cannot see at all."""
    return (
        char in INVISIBLE
        or char == SOFT_HYPHEN
        or is_bidi(char)
        or is_tag(char)
        or is_variation_selector(char)
        or (char < " " and char not in "\t\n\v\f\r")
        or ("\x7f" <= char <= "\x9f" and char != "\x85")
    )
