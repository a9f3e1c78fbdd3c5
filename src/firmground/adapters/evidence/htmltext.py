"""The text a reader sees in an HTML page, and where each character of it stands in the page.

What style rules hide is left out: by display, visibility, opacity, position, size or colour. What
is struck through (``del``, ``s``, ``line-through``) stands between ``~~``, which lead back to the
tags: it held once and holds no longer.

The scanner is our own: it keeps exact offsets by construction and takes linear time on hostile
pages, where the standard library's parser does not.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field, replace

from firmground.adapters.evidence.pagestyle import Element, StyleSheet
from firmground.core.lazy_pattern import lazy_pattern

_NAME = lazy_pattern(r"[A-Za-z][^\s/>]*")
_ATTRIBUTE = lazy_pattern(r"""([^\s=>/"']+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"']*+)))?+""")
_PIECE = lazy_pattern(r"(\s+)|(&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{1,31});?)")
_STRUCK = frozenset({"del", "s", "strike"})
_STRIKE = "~~"
_RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
_UNSEEN = frozenset({"script", "style", "template", "noscript", "iframe", "noembed", "noframes",
                     "object", "svg", "math", "datalist"})  # fmt: skip
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta",
                   "param", "source", "track", "wbr"})  # fmt: skip
_BLOCK = frozenset({"address", "article", "aside", "blockquote", "body", "br", "caption", "dd",
                    "details", "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure",
                    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr",
                    "html", "li", "main", "nav", "ol", "option", "p", "pre", "section", "select",
                    "summary", "table", "tbody", "tfoot", "thead", "tr", "ul"})  # fmt: skip
_CELL = frozenset({"td", "th"})
# What an open paragraph ends with, as in a browser.
_ENDS_PARAGRAPH = _BLOCK - frozenset(
    "br body html head option caption tbody tfoot thead tr dt dd select summary figcaption".split()
)
_MOST_INLINE = 64
_ENDS_WITH_NEXT = frozenset({"p", "li", "dt", "dd", "td", "th", "tr", "option"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a reader sees: the text, its title, and the runs that lead back to the page."""

    text: str
    title: str
    runs: tuple[tuple[int, int, int, int], ...]


def read_page(source: str) -> Page:
    """Extract the visible text of a page with exact offsets back into ``source``."""
    return _Scanner(source=source).scan()


@dataclass(slots=True, kw_only=True)
class _TextBuilder:
    """Text under construction; every character belongs to exactly one run."""

    pieces: list[str] = field(default_factory=list)
    runs: list[tuple[int, int, int, int]] = field(default_factory=list)
    length: int = 0
    pending: str = ""
    """White space to write before the next visible character, and where it came from."""
    pending_at: tuple[int, int] = (0, 0)
    opened: int = -1
    """How long the text was right after the last mark that opens struck text."""

    def owe(self, space: str, at: tuple[int, int]) -> None:
        """Note pending white space; a line break outweighs a tab, a tab outweighs a blank."""
        rank = {"": 0, " ": 1, "\t": 2, "\n": 3}
        if rank[space] > rank[self.pending]:
            self.pending, self.pending_at = space, at

    def put(self, text: str, start: int, end: int) -> None:
        """Add text that stands at ``source[start:end]``."""
        if self.pending and self.length and self.length != self.opened:
            self._append(self.pending, *self.pending_at)
        self.pending = ""
        self._append(text, start, end)

    def strike(self, start: int, end: int, *, opens: bool) -> None:
        """Add a mark of struck text for the tag at ``source[start:end]``, no blank inside."""
        if opens:
            self.put(_STRIKE, start, end)
            self.opened = self.length
            return
        if self.length == self.opened:  # nothing was shown in between
            self.length -= len(_STRIKE)
            self.pieces.pop()
            self.runs.pop()
            self.opened = -1
            return
        owed, at = self.pending, self.pending_at
        self.pending = ""
        self._append(_STRIKE, start, end)
        if owed:
            self.owe(owed, (end, end) if at[1] <= start else at)

    def _append(self, text: str, start: int, end: int) -> None:
        here = self.length
        self.length += len(text)
        self.pieces.append(text)
        if self.runs and end - start == len(text):
            begin, stop, there, there_end = self.runs[-1]
            if there_end == start and stop - begin == there_end - there:
                self.runs[-1] = (begin, self.length, there, end)
                return
        self.runs.append((here, self.length, start, end))


@dataclass(slots=True, kw_only=True)
class _Scanner:
    source: str
    out: _TextBuilder = field(default_factory=_TextBuilder)
    title: list[str] = field(default_factory=list)
    styles: StyleSheet = field(default_factory=StyleSheet)
    open: list[Element] = field(default_factory=list)
    """The elements around the place that is read, the innermost last."""
    names: dict[str, int] = field(default_factory=dict)
    """How many of them have each name."""
    struck: int = 0
    """How deep in elements that are struck through."""
    pre: int = 0

    def scan(self) -> Page:
        position, source = 0, self.source
        self._read_styles()
        while position < len(source):
            mark = source.find("<", position)
            if mark < 0:
                mark = len(source)
            if mark > position:
                self._text(position, mark)
            position = self._markup(mark) if mark < len(source) else mark
        title = " ".join("".join(self.title).split())
        return Page(text="".join(self.out.pieces), title=title, runs=tuple(self.out.runs))

    def _read_styles(self) -> None:
        """Collect the style rules of the page first: they hold for what stands before them too."""
        position = self.source.find("<")
        while position >= 0:
            end, tag, attributes = self._tag(position)
            if tag in _RAW:
                stop = self._raw_end(tag, end)
                media = attributes.get("media", "").lower()
                if tag == "style" and ("print" not in media or "screen" in media):
                    self.styles.add(self.source[end:stop])
                end = stop
            position = self.source.find("<", end)

    def _tag(self, at: int) -> tuple[int, str, dict[str, str]]:
        """Where a piece of markup ends and, if it opens an element, its name and attributes."""
        source = self.source
        if (end := self._no_tag(at)) is not None:
            return end, "", {}
        closing = source.startswith("</", at)
        name = _NAME.match(source, at + (2 if closing else 1))
        if name is None:
            return at + 1, "", {}
        attributes, end = self._attributes(name.end())
        return end, "" if closing else name.group().lower(), attributes

    def _no_tag(self, at: int) -> int | None:
        """Where a comment or a declaration ends, None if a tag stands here."""
        source = self.source
        if source.startswith("<!--", at):
            end = source.find("-->", at + 4)
            return len(source) if end < 0 else end + 3
        if source.startswith(("<!", "<?"), at):
            end = source.find(">", at)
            return len(source) if end < 0 else end + 1
        return None

    def _markup(self, at: int) -> int:
        """Read one piece of markup; return where the text goes on."""
        source = self.source
        if (past := self._no_tag(at)) is not None:
            return past
        closing = source.startswith("</", at)
        name = _NAME.match(source, at + (2 if closing else 1))
        if name is None:
            self._text(at, at + 1)
            return at + 1
        attributes, end = self._attributes(name.end())
        tag = name.group().lower()
        if closing:
            self._close(tag, at, end)
            return end
        return self._open(tag, attributes, at, end)

    def _attributes(self, position: int) -> tuple[dict[str, str], int]:
        source = self.source
        found: dict[str, str] = {}
        while position < len(source):
            if source[position] == ">":
                return found, position + 1
            match = _ATTRIBUTE.match(source, position)
            if match is None:
                position += 1
                continue
            key, *values = match.groups()
            found.setdefault(key.lower(), next((v for v in values if v is not None), ""))
            position = match.end()
        return found, len(source)

    @property
    def hidden(self) -> bool:
        """True when text at this place is not shown."""
        return bool(self.open) and not self.open[-1].shown

    def _open(self, tag: str, attributes: dict[str, str], at: int, end: int) -> int:
        self._end_implied(tag, at)
        if tag in _VOID:
            if not self.hidden:
                self._space(tag, at, end)
            return end
        around = self.open[-1] if self.open else None
        element = self.styles.open(tag, attributes, self.open)
        if tag in _UNSEEN or (tag == "dialog" and "open" not in attributes):
            element = replace(element, hidden=True)
        if tag in _STRUCK:
            element = replace(element, struck=True)
        self.open.append(element)
        self.names[tag] = self.names.get(tag, 0) + 1
        if element.shown:
            self._space(tag, at, end)
            self.pre += tag == "pre"
            if element.struck and not (around and around.struck):
                self.out.strike(at, end, opens=True)
        if tag in _RAW:
            return self._raw(tag, end)
        return end

    def _close(self, tag: str, at: int, end: int) -> None:
        """Close the innermost element of this name, and with it what is still open inside."""
        if not self.names.get(tag) or not self._may_close(tag):
            if not self.hidden:
                self._space(tag, at, end)
            return
        while self.open[-1].tag != tag:
            self._leave(at, at)
        self._leave(at, end)

    def _end_implied(self, tag: str, at: int) -> None:
        """End what an opening tag ends without saying so: a list item, an open paragraph."""
        if tag in _ENDS_WITH_NEXT and self.open and self.open[-1].tag == tag:
            self._leave(at, at)
        elif tag in _ENDS_PARAGRAPH and self.names.get("p"):
            inner = self._inline_above("p")
            for _ in range(inner + 1 if inner is not None else 0):
                self._leave(at, at)

    def _may_close(self, tag: str) -> bool:
        """False for the end of an inline element with a block still open inside it."""
        return tag in _BLOCK or tag in _CELL or self._inline_above(tag) is not None

    def _inline_above(self, tag: str) -> int | None:
        """How many inline elements are open inside the innermost element of a name."""
        for depth, element in enumerate(reversed(self.open[-_MOST_INLINE:])):
            if element.tag == tag:
                return depth
            if element.tag in _BLOCK or element.tag in _CELL:
                return None
        return None

    def _leave(self, at: int, end: int) -> None:
        """Leave the innermost element; a mark of struck text needs a tag to lead back to."""
        element = self.open.pop()
        self.names[element.tag] -= 1
        if not element.shown:
            return
        around = self.open[-1] if self.open else None
        if element.struck and not (around and around.struck) and end > at:
            self.out.strike(at, end, opens=False)
        self._space(element.tag, at, max(end, at + 1))
        self.pre = max(0, self.pre - (element.tag == "pre"))

    def _space(self, tag: str, at: int, end: int) -> None:
        if tag in _BLOCK:
            self.out.owe("\n", (at, end))
        elif tag in _CELL:
            self.out.owe("\t", (at, end))

    def _raw(self, tag: str, position: int) -> int:
        """Read an element that holds no markup up to its end tag, which the caller reads."""
        stop = self._raw_end(tag, position)
        if tag != "title":
            self._text(position, stop)
        elif not self.hidden and not self.title:
            self.title.append(html.unescape(self.source[position:stop]))
        return stop

    def _raw_end(self, tag: str, position: int) -> int:
        end = re.compile(rf"(?i)</{tag}(?=[\s/>])").search(self.source, position)
        return end.start() if end else len(self.source)

    def _text(self, start: int, end: int) -> None:
        if self.hidden:
            return
        position = start
        for match in _PIECE.finditer(self.source, start, end):
            if match.start() > position:
                self.out.put(self.source[position : match.start()], position, match.start())
            position = match.end()
            if match.group(1):
                self._white(match)
            else:
                self.out.put(html.unescape(match.group()), match.start(), match.end())
        if position < end:
            self.out.put(self.source[position:end], position, end)

    def _white(self, match: re.Match[str]) -> None:
        if self.pre:
            self.out.put(match.group(), match.start(), match.end())
        else:
            self.out.owe(" ", match.span())
