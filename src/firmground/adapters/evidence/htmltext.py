"""The text a reader sees in an HTML page, and where each character of it stands in the page.

The scanner is our own: it keeps exact offsets by construction and takes linear time on hostile
pages, where the standard library's parser does not.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from firmground.core.lazy_pattern import lazy_pattern

_NAME = lazy_pattern(r"[A-Za-z][^\s/>]*")
_ATTRIBUTE = lazy_pattern(r"""([^\s=>/"']+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"']*+)))?+""")
_PIECE = lazy_pattern(r"(\s+)|(&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{1,31});?)")
_HIDING = lazy_pattern(r"(?i)(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)")
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
class _Out:
    """Text under construction; every character belongs to exactly one run."""

    pieces: list[str] = field(default_factory=list)
    runs: list[tuple[int, int, int, int]] = field(default_factory=list)
    length: int = 0
    pending: str = ""
    """White space owed before the next visible character, and where it came from."""
    pending_at: tuple[int, int] = (0, 0)

    def owe(self, space: str, at: tuple[int, int]) -> None:
        """Owe white space; a line break outweighs a tab, a tab outweighs a blank."""
        rank = {"": 0, " ": 1, "\t": 2, "\n": 3}
        if rank[space] > rank[self.pending]:
            self.pending, self.pending_at = space, at

    def put(self, text: str, start: int, end: int) -> None:
        """Add text that stands at ``source[start:end]``."""
        if self.pending and self.length:
            self._append(self.pending, *self.pending_at)
        self.pending = ""
        self._append(text, start, end)

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
    out: _Out = field(default_factory=_Out)
    title: list[str] = field(default_factory=list)
    hidden: str = ""
    """Name of the element whose content is not shown, and how deep inside its likes we are."""
    depth: int = 0
    pre: int = 0

    def scan(self) -> Page:
        position, source = 0, self.source
        while position < len(source):
            mark = source.find("<", position)
            if mark < 0:
                mark = len(source)
            if mark > position:
                self._text(position, mark)
            position = self._markup(mark) if mark < len(source) else mark
        title = " ".join("".join(self.title).split())
        return Page(text="".join(self.out.pieces), title=title, runs=tuple(self.out.runs))

    def _markup(self, at: int) -> int:
        """Read one piece of markup; return where the text goes on."""
        source = self.source
        if source.startswith("<!--", at):
            end = source.find("-->", at + 4)
            return len(source) if end < 0 else end + 3
        if source.startswith(("<!", "<?"), at):
            end = source.find(">", at)
            return len(source) if end < 0 else end + 1
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

    def _open(self, tag: str, attributes: dict[str, str], at: int, end: int) -> int:
        if self.hidden and self.hidden in _ENDS_WITH_NEXT and tag == self.hidden:
            self.hidden = ""
        if self.hidden:
            self.depth += tag == self.hidden
        elif tag not in _VOID and _is_hidden(tag, attributes):
            self.hidden, self.depth = tag, 1
        else:
            self._space(tag, at, end)
            self.pre += tag == "pre"
        if tag in _RAW:
            return self._raw(tag, end)
        return end

    def _close(self, tag: str, at: int, end: int) -> None:
        if self.hidden:
            self.depth -= tag == self.hidden
            if self.depth <= 0:
                self.hidden = ""
            return
        self._space(tag, at, end)
        self.pre = max(0, self.pre - (tag == "pre"))

    def _space(self, tag: str, at: int, end: int) -> None:
        if tag in _BLOCK:
            self.out.owe("\n", (at, end))
        elif tag in _CELL:
            self.out.owe("\t", (at, end))

    def _raw(self, tag: str, position: int) -> int:
        """Read an element that holds no markup up to its end tag, which the caller reads."""
        end = re.compile(rf"(?i)</{tag}(?=[\s/>])").search(self.source, position)
        stop = end.start() if end else len(self.source)
        if tag != "title":
            self._text(position, stop)
        elif not self.hidden and not self.title:
            self.title.append(html.unescape(self.source[position:stop]))
        return stop

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


def _is_hidden(tag: str, attributes: dict[str, str]) -> bool:
    return (
        tag in _UNSEEN
        or "hidden" in attributes
        or _HIDING.search(attributes.get("style", "")) is not None
    )
