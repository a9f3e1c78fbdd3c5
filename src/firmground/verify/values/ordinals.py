"""Places in an order: ordinal words in four languages, and Roman numerals."""

from __future__ import annotations

_PLACES = (
    "first 1st erste ersten premier première primero primera|"
    "second 2nd zweite zweiten deuxième segundo segunda|"
    "third 3rd dritte dritten troisième tercero tercera|fourth 4th vierte vierten|"
    "fifth 5th fünfte fünften|sixth 6th|seventh 7th|eighth 8th|ninth 9th|tenth 10th|"
    "eleventh 11th|twelfth 12th"
).split("|")

NTH = {word: at for at, words in enumerate(_PLACES, 1) for word in words.split()}
"""The place each ordinal word stands for, from the first to the twelfth."""

ENGLISH_NTH = {at: words.split()[0] for at, words in enumerate(_PLACES, 1)}
"""The English word for each of these places."""

ROMAN = {
    roman: at
    for at, roman in enumerate(
        "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI XXII "
        "XXIII".split(),
        1,
    )
}
"""The Roman numerals of kings, popes and volumes."""
