"""What the style rules of a page show and hide: as much of CSS as hiding text needs.

Read are rules of ``style`` elements and ``style`` attributes with type, class, id and attribute
selectors, descendants and children. The winner is found as in a browser: importance, then the
attribute, then specificity, then the later declaration.
"""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from firmground.core.lazy_pattern import lazy_pattern
from firmground.errors import InputError

_COMMENT = lazy_pattern(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_SIMPLE = lazy_pattern(
    r"""(?P<tag>[A-Za-z][\w-]*|\*)|\.(?P<class>[\w-]+)|\#(?P<id>[\w-]+)"""
    r"""|\[\s*(?P<name>[\w-]+)\s*(?:(?P<sign>[~^$*|]?=)\s*["']?(?P<value>[^"'\]]*)["']?\s*)?\]"""
    r"""|(?P<pseudo>::?[\w-]+(?:\([^)]*\))?)"""
)
_COMBINATOR = lazy_pattern(r"\s*([>+~])\s*|\s+")
_LENGTH = lazy_pattern(
    r"([+-]?(?:\d+\.?\d*|\.\d+))(px|em|rem|%|pt|vw|vh|ch|ex|cm|mm|in)?\b|([+-]?0)\Z"
)
_OFF_SCREEN = lazy_pattern(
    r"translate[xy]?\(\s*(?:[^,()]*,\s*)?-\s*(?:\d{3,}(?:px|em|rem|vw|vh|%))|scale[xy]?\(\s*0(?:\.0+)?\s*[,)]"
)
_CLIPPED = lazy_pattern(
    r"rect\(\s*(?:0|1px)(?:px)?[ ,]+(?:0|1px)|inset\(\s*(?:50|100)%|circle\(\s*0"
)
_RELEVANT = frozenset(
    "display visibility opacity position left right top bottom text-indent font-size font color "
    "background background-color clip clip-path width height max-width max-height overflow transform "
    "text-decoration text-decoration-line content-visibility filter margin-left margin-top".split()
)
_NAMED = {
    "white": (255, 255, 255), "black": (0, 0, 0), "red": (255, 0, 0), "green": (0, 128, 0),
    "blue": (0, 0, 255), "yellow": (255, 255, 0), "gray": (128, 128, 128), "grey": (128, 128, 128),
    "silver": (192, 192, 192), "navy": (0, 0, 128), "snow": (255, 250, 250), "ivory": (255, 255, 240),
    "whitesmoke": (245, 245, 245), "ghostwhite": (248, 248, 255), "lightgray": (211, 211, 211),
    "lightgrey": (211, 211, 211), "orange": (255, 165, 0), "maroon": (128, 0, 0),
}  # fmt: skip
_PIXELS = {"": 1.0, "px": 1.0, "pt": 1.33, "em": 16.0, "rem": 16.0, "ch": 8.0, "ex": 8.0, "vw": 10.0,
           "vh": 8.0, "cm": 37.8, "mm": 3.78, "in": 96.0}  # fmt: skip
_INHERIT = frozenset({"inherit", "unset", "currentcolor", "revert"})
_FAR = 400.0
_TINY = 3.0
_SAME_COLOUR = 12
_FAINT = 0.05
_MOST_TESTS = 1_000_000
_DEEPEST = 64
_PRESENTATIONAL = {
    "font": (("color", "color"),),
    "body": (("text", "color"), ("bgcolor", "background-color")),
    **dict.fromkeys(("table", "tr", "td", "th"), (("bgcolor", "background-color"),)),
}
Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """An open element as selectors see it, and what it inherits."""

    tag: str
    attributes: Mapping[str, str]
    hidden: bool = False
    """True when nothing inside is shown, whatever it says itself."""
    invisible: bool = False
    """True when its text is not shown unless a child says otherwise."""
    tiny: bool = False
    colour: Colour | None = (0, 0, 0)
    """None when it is not known."""
    background: Colour | None = (255, 255, 255)
    transparent: bool = False
    struck: bool = False

    @property
    def shown(self) -> bool:
        """True when a reader sees the text of this element."""
        clash = (
            self.colour is not None
            and self.background is not None
            and _alike(self.colour, self.background)
        )
        return not (self.hidden or self.invisible or self.tiny or self.transparent or clash)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compound:
    tag: str = ""
    ids: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str, str], ...] = ()

    def matches(self, element: Element) -> bool:
        if self.tag and self.tag != element.tag:
            return False
        own = element.attributes
        if any(own.get("id", "") != one for one in self.ids):
            return False
        if self.classes and not set(self.classes) <= set(own.get("class", "").split()):
            return False
        return all(_attribute_matches(own, *one) for one in self.attributes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _StyleRule:
    parts: tuple[tuple[str, _Compound], ...]
    """Combinator before each compound selector, the last one being the element itself."""
    weight: tuple[int, int, int]
    order: int
    declarations: tuple[tuple[str, str, bool], ...]


@dataclass(slots=True, kw_only=True)
class StyleSheet:
    """The style rules of one page, ready to be asked about elements."""

    rules: dict[str, list[_StyleRule]] = field(default_factory=dict)
    count: int = 0
    tests: int = 0
    last: tuple[object, object] | None = None
    """The rule kept last."""

    def add(self, text: str) -> None:
        """Read the content of one ``style`` element."""
        for selectors, body in _blocks(_COMMENT.sub(" ", text)):
            declared = _declarations(body)
            if not declared:
                continue
            for selector in selectors.split(","):
                parts = _selector(selector)
                if parts:
                    self._keep(parts, declared)

    def _keep(
        self, parts: tuple[tuple[str, _Compound], ...], declared: tuple[tuple[str, str, bool], ...]
    ) -> None:
        compounds = [compound for _, compound in parts]
        weight = (
            sum(len(one.ids) for one in compounds),
            sum(len(one.classes) + len(one.attributes) for one in compounds),
            sum(bool(one.tag) for one in compounds),
        )
        last = compounds[-1]
        key = f"#{last.ids[0]}" if last.ids else f".{last.classes[0]}" if last.classes else last.tag
        if (parts, declared) == self.last:  # said again, it says nothing new
            return
        self.last = (parts, declared)
        self.count += 1
        rule = _StyleRule(parts=parts, weight=weight, order=self.count, declarations=declared)
        self.rules.setdefault(key, []).append(rule)

    def open(self, tag: str, attributes: Mapping[str, str], parents: Sequence[Element]) -> Element:
        """Say how an element is shown that opens inside ``parents``, the innermost last."""
        parent = parents[-1] if parents else Element(tag="", attributes={})
        element = Element(tag=tag, attributes=attributes)
        style = self._style(element, parents)
        if not style and "hidden" not in attributes:
            return Element(
                tag=tag,
                attributes=attributes,
                hidden=parent.hidden,
                invisible=parent.invisible,
                tiny=parent.tiny,
                colour=parent.colour,
                background=parent.background,
                transparent=parent.transparent,
                struck=parent.struck,
            )
        return _computed(element, style, parent)

    def _style(self, element: Element, parents: Sequence[Element]) -> dict[str, str]:
        best: dict[str, tuple[tuple[bool, bool, tuple[int, int, int], int], str]] = {}
        for rule in self._candidates(element):
            self.tests += 1
            if self.tests > _MOST_TESTS:
                raise InputError("the style rules of the page are too many to be applied")
            if _applies(rule.parts, element, parents):
                _declare(best, rule.declarations, (False, rule.weight, rule.order))
        inline = element.attributes.get("style", "")
        if inline:
            _declare(best, _declarations(_COMMENT.sub(" ", inline)), (True, (0, 0, 0), 0))
        told = {name: value for name, (_, value) in best.items()}
        for attribute, name in _PRESENTATIONAL.get(element.tag, ()):
            if attribute in element.attributes:
                told.setdefault(name, element.attributes[attribute].lower())
        return told

    def _candidates(self, element: Element) -> Iterator[_StyleRule]:
        if not self.rules:
            return
        own = element.attributes
        keys = ["", element.tag, f"#{own.get('id', '')}"]
        keys += [f".{name}" for name in dict.fromkeys(own.get("class", "").split())]
        for key in keys:
            yield from self.rules.get(key, ())


def _declare(
    best: dict[str, tuple[tuple[bool, bool, tuple[int, int, int], int], str]],
    declared: tuple[tuple[str, str, bool], ...],
    rank: tuple[bool, tuple[int, int, int], int],
) -> None:
    for name, value, important in declared:
        mine = (important, *rank)
        if name not in best or best[name][0] <= mine:
            best[name] = (mine, value)


def _computed(element: Element, style: dict[str, str], parent: Element) -> Element:
    """What an element is after its winning declarations and what it inherits."""
    style = {name: value for name, value in style.items() if value not in _INHERIT}
    display = style.get("display", "none" if "hidden" in element.attributes else "")
    visibility = style.get("visibility", "")
    invisible = visibility in ("hidden", "collapse") if visibility else parent.invisible
    size = style.get("font-size") or style.get("font", "")
    tiny = parent.tiny
    if size:
        measure = _measure(size, parent=16.0)
        relative = (
            tiny and any(unit in size for unit in ("em", "%", "ch", "ex")) and "rem" not in size
        )
        tiny = tiny if measure is None or relative else measure < _TINY
    colour, transparent = parent.colour, parent.transparent
    if "color" in style:
        colour, transparent = _colour(style["color"])
    background = parent.background
    painted = style.get("background-color") or style.get("background", "")
    if painted:
        seen, clear = _colour(painted)
        background = parent.background if clear else seen
    hidden = (
        parent.hidden
        or display == "none"
        or style.get("content-visibility") == "hidden"
        or _faint(style.get("opacity", ""))
        or _off_screen(style)
        or _shrunk(style)
    )
    line = style.get("text-decoration-line") or style.get("text-decoration", "")
    return Element(
        tag=element.tag,
        attributes=element.attributes,
        hidden=hidden,
        invisible=invisible,
        tiny=tiny,
        colour=colour,
        background=background,
        transparent=transparent,
        struck=parent.struck or "line-through" in line,
    )


def _off_screen(style: dict[str, str]) -> bool:
    placed = style.get("position", "") in ("absolute", "fixed", "relative", "sticky")
    moved = ["text-indent", "margin-left", "margin-top"]
    moved += ["left", "right", "top", "bottom"] if placed else []
    for name in moved:
        measure = _measure(style.get(name, ""), parent=1000.0)
        if measure is not None and (
            measure <= -_FAR or (measure >= 5000.0 and name != "margin-top")
        ):
            return True
    return bool(_OFF_SCREEN.search(style.get("transform", "")))


def _shrunk(style: dict[str, str]) -> bool:
    """True when a box is cut down to nothing."""
    for name in ("clip", "clip-path"):
        if _CLIPPED.search(style.get(name, "")):
            return True
    if style.get("overflow", "").split(" ")[0] not in ("hidden", "clip"):
        return False
    sizes = (
        _measure(style.get(n, ""), parent=100.0)
        for n in ("width", "height", "max-width", "max-height")
    )
    return any(size is not None and size <= 1.0 for size in sizes)


def _faint(value: str) -> bool:
    try:
        share = float(value[:-1]) / 100 if value.endswith("%") else float(value)
    except ValueError:
        return False
    return share <= _FAINT


def _measure(value: str, *, parent: float) -> float | None:
    """A length in pixels, None when the value has none."""
    found = _LENGTH.search(value)
    if found is None:
        return None
    if found.group(3) is not None:
        return 0.0
    number, unit = float(found.group(1)), found.group(2) or ""
    return number * parent / 100 if unit == "%" else number * _PIXELS[unit]


def _colour(value: str) -> tuple[Colour | None, bool]:
    """A colour, None when it is not known, and whether it is transparent."""
    value = value.strip()
    if value.startswith("transparent"):
        return None, True
    if (found := re.match(r"#([0-9a-f]{3,8})\b", value)) is not None:
        digits = found.group(1)
        wide = digits if len(digits) >= 6 else "".join(c + c for c in digits)
        clear = len(wide) >= 8 and int(wide[6:8], 16) <= 255 * _FAINT
        return (int(wide[:2], 16), int(wide[2:4], 16), int(wide[4:6], 16)), clear
    if (
        found := re.match(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)(?:[\s,/]+([\d.]+%?))?", value)
    ) is not None:
        red, green, blue = (min(255, int(found.group(at))) for at in (1, 2, 3))
        return (red, green, blue), _faint(found.group(4) or "1")
    return _NAMED.get(re.split(r"[\s;,]", value, maxsplit=1)[0]), False


def _alike(one: Colour, other: Colour) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= _SAME_COLOUR


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The rules of a style sheet: what stands before a brace, and what stands in it."""
    position = 0
    skipped = 0  # depth inside of an at-rule that does not hold for a screen
    opened: list[bool] = []
    while (brace := _next_brace(text, position)) >= 0:
        if text[brace] == "}":
            if opened and opened.pop():
                skipped -= 1
            position = brace + 1
            continue
        head = text[position:brace].rpartition(";")[2].strip()
        if head.startswith("@"):
            other = _not_on_screen(head)
            opened.append(other)
            skipped += other
            position = brace + 1
            continue
        end = text.find("}", brace)
        end = len(text) if end < 0 else end
        if not skipped:
            yield head, text[brace + 1 : end]
        position = end + 1


def _next_brace(text: str, position: int) -> int:
    found = _BRACE.search(text, position)
    return found.start() if found else -1


_BRACE = lazy_pattern(r"[{}]")


def _not_on_screen(head: str) -> bool:
    """True for rules about print, or about something else than the look of a page on a screen."""
    lowered = head.lower()
    if lowered.startswith("@media"):
        return "print" in lowered and "screen" not in lowered
    return not lowered.startswith(("@supports", "@layer", "@container"))


def _declarations(body: str) -> tuple[tuple[str, str, bool], ...]:
    found = []
    for declaration in body.split(";"):
        name, colon, value = declaration.partition(":")
        name = name.strip().lower()
        if colon and name in _RELEVANT:
            value, mark, _ = value.lower().partition("!important")
            found.append((name, value.strip(), bool(mark)))
    return tuple(found)


def _selector(text: str) -> tuple[tuple[str, _Compound], ...]:
    """Read one selector; empty when it has something that does not always hold, such as hover."""
    parts: list[tuple[str, _Compound]] = []
    position, combinator = 0, ""
    text = text.strip()
    while position < len(text):
        compound, end = _compound(text, position)
        if compound is None or end == position:
            return ()
        parts.append((combinator, compound))
        joint = _COMBINATOR.match(text, end)
        if joint is None:
            return tuple(parts) if end == len(text) else ()
        combinator, position = joint.group(1) or " ", joint.end()
    return tuple(parts)


def _compound(text: str, position: int) -> tuple[_Compound | None, int]:
    tag, ids, classes = "", [], []
    attributes: list[tuple[str, str, str]] = []
    while (found := _SIMPLE.match(text, position)) is not None:
        if found["pseudo"]:
            if found["pseudo"].lower() not in (":root", ":link", ":enabled"):
                return None, position
        elif found["tag"]:
            tag = "" if found["tag"] == "*" else found["tag"].lower()
        elif found["class"]:
            classes.append(found["class"])
        elif found["id"]:
            ids.append(found["id"])
        else:
            attributes.append((found["name"].lower(), found["sign"] or "", found["value"] or ""))
        position = found.end()
    made = _Compound(tag=tag, ids=tuple(ids), classes=tuple(classes), attributes=tuple(attributes))
    return made, position


def _attribute_matches(own: Mapping[str, str], name: str, sign: str, value: str) -> bool:
    if name not in own:
        return False
    given = own[name]
    if not sign:
        return True
    return {
        "=": given == value,
        "~=": value in given.split(),
        "^=": bool(value) and given.startswith(value),
        "$=": bool(value) and given.endswith(value),
        "*=": bool(value) and value in given,
        "|=": given == value or given.startswith(f"{value}-"),
    }[sign]


def _applies(
    parts: tuple[tuple[str, _Compound], ...], element: Element, parents: Sequence[Element]
) -> bool:
    if not parts[-1][1].matches(element):
        return False
    around = list(parents[-_DEEPEST:])
    for at in range(len(parts) - 1, 0, -1):
        combinator, wanted = parts[at][0], parts[at - 1][1]
        if combinator in "+~":  # siblings are not kept: such a rule counts as if they were there
            return True
        while around and not wanted.matches(around[-1]):
            if combinator == ">":
                return False
            around.pop()
        if not around:
            return False
        around.pop()
    return True
