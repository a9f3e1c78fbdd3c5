"""Text as a person may safely be shown it."""

from __future__ import annotations

import re
import unicodedata

_UNSEEN = re.compile("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f"
                     "\u2028-\u202e\u2060-\u206f\ufe00-\ufe0e\ufeff\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff\ud800-\udfff"
                     "\U000e0000-\U000e0fff]")  # fmt: skip


def visible(text: str) -> str:
    """Show what would steer a terminal or hide from a reader; leave everything else alone."""
    return _UNSEEN.sub(_shown, text.replace("\r\n", "\n"))


def _shown(match: re.Match[str]) -> str:
    character = match.group()
    if unicodedata.category(character) == "Cc" and ord(character) < 32:
        return chr(0x2400 + ord(character))
    return f"<U+{ord(character):04X}>"


_SHORT = 40
_AROUND = 50


def surroundings(text: str, start: int, end: int) -> tuple[str, str]:
    """A few words of the same line on either side of a span too short to be read alone."""
    if end - start >= _SHORT:
        return "", ""
    before = text[max(0, start - _AROUND) : start].rpartition("\n")[2]
    after = text[end : end + _AROUND].partition("\n")[0]
    if len(before) == _AROUND:
        before = before.partition(" ")[2] or before
    if len(after) == _AROUND:
        after = after.rpartition(" ")[0] or after
    return before, after
