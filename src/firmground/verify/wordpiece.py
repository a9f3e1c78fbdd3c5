"""BERT WordPiece tokenization in plain Python, with offsets into the text.

The same tokens and offsets as the package ``tokenizers`` gives for the uncased BERT vocabulary, at
the same speed: words are looked up once and kept. Marks such as ``[SEP]`` that a text writes out
are words, not marks.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import NamedTuple

from firmground.errors import InputError

_LONGEST_WORD = 100
_KEPT_WORDS = 50_000
_ASCII_WORDS = re.compile(r"[a-z0-9]+|[^a-z0-9\s]")
_CJK = re.compile(
    "[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f]"
)
_Pieces = tuple[tuple[int, int, int], ...]


class WordPieces(NamedTuple):
    """The tokens of one text."""

    ids: list[int]
    offsets: list[tuple[int, int]]


class WordPieceTokenizer:
    """Tokenizes texts with the vocabulary of a ``tokenizer.json``; safe in threads."""

    def __init__(self, path: Path) -> None:
        """Read the vocabulary; a file of another kind is an ``InputError``."""
        try:
            document = json.loads(path.read_bytes())
            model, normalizer = document["model"], document["normalizer"]
            known = model["type"], normalizer["type"], normalizer["lowercase"]
            self._vocabulary: dict[str, int] = dict(model["vocab"])
            self._unknown = self._vocabulary[model["unk_token"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}: cannot be used: {type(error).__name__}: {error}") from None
        if known != ("WordPiece", "BertNormalizer", True):
            raise InputError(f"{path}: cannot be used: not an uncased WordPiece tokenizer")
        self._words: dict[str, _Pieces] = {}

    def token_to_id(self, token: str) -> int | None:
        """Return the number of a token."""
        return self._vocabulary.get(token)

    def encode(self, sequence: str, *, add_special_tokens: bool = False) -> WordPieces:
        """Tokenize a text; special tokens are never added."""
        if add_special_tokens:
            raise InputError("special tokens are added by the caller")
        if sequence.isascii() and sequence.isprintable():
            found = [(m[0], m.start()) for m in _ASCII_WORDS.finditer(sequence.lower())]
            ids, offsets = [], []
            for word, at in found:
                for token, start, end in self._pieces(word):
                    ids.append(token)
                    offsets.append((at + start, at + end))
            return WordPieces(ids, offsets)
        return self._general(sequence)

    def _general(self, text: str) -> WordPieces:
        characters, origin = _normalized(text)
        ids: list[int] = []
        offsets: list[tuple[int, int]] = []
        begin: int | None = None

        def flush(until: int) -> None:
            nonlocal begin
            if begin is not None:
                for token, start, end in self._pieces("".join(characters[begin:until])):
                    ids.append(token)
                    offsets.append((origin[begin + start], origin[begin + end - 1] + 1))
                begin = None

        for at, character in enumerate(characters):
            if character.isspace():
                flush(at)
            elif _is_punctuation(character):
                flush(at)
                ids.append(self._vocabulary.get(character, self._unknown))
                offsets.append((origin[at], origin[at] + 1))
            elif begin is None:
                begin = at
        flush(len(characters))
        return WordPieces(ids, offsets)

    def _pieces(self, word: str) -> _Pieces:
        """Tokens of one word, longest first from the left, each with its place in the word."""
        kept = self._words.get(word)
        if kept is None:
            kept = self._cut(word)
            if len(self._words) >= _KEPT_WORDS:
                self._words = {}
            self._words[word] = kept
        return kept

    def _cut(self, word: str) -> _Pieces:
        whole = ((self._unknown, 0, len(word)),)
        if len(word) > _LONGEST_WORD:
            return whole
        found: list[tuple[int, int, int]] = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                token = self._vocabulary.get(("##" if start else "") + word[start:end])
                if token is not None:
                    break
            else:
                return whole
            found.append((token, start, end))
            start = end
        return tuple(found)


def _normalized(text: str) -> tuple[list[str], list[int]]:
    """Lower-case characters without accents and controls, and where each comes from."""
    characters: list[str] = []
    origin: list[int] = []
    for at, character in enumerate(text):
        if character in "\t\n\r":
            made = " "
        elif character in "\0\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co"):
            continue
        elif character.isspace():
            made = " "
        elif _CJK.match(character):
            made = f" {character} "
        else:
            bare = unicodedata.normalize("NFD", character)
            made = "".join(c for c in bare if unicodedata.category(c) != "Mn").lower()
        characters.extend(made)
        origin.extend([at] * len(made))
    return characters, origin


def _is_punctuation(character: str) -> bool:
    if character.isascii():
        return not character.isalnum()
    return unicodedata.category(character).startswith("P")
