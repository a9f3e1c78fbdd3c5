"""A second list of forms that hide a statement, and outer forms to nest any form in."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator
from functools import partial

from tests.claims.wrappers import Base, Wrapper, _capital, _filled

MORE_BASES = (
    Base(
        domain="travel",
        evidence="The night train leaves Bergen at 22:45. Dogs travel free in the last carriage.",
        true="the night train leaves Bergen at 22:45",
        false="the night train leaves Bergen at 21:15",
    ),
    Base(
        domain="contracts",
        evidence="Either party may end the lease with three months' notice. Subletting is forbidden.",
        true="subletting is forbidden",
        false="subletting is allowed",
    ),
    Base(
        domain="science",
        evidence="The Orlan probe reached Titan in 2031. It carried seven instruments.",
        true="the Orlan probe carried seven instruments",
        false="the Orlan probe carried nine instruments",
    ),
    Base(
        domain="people",
        evidence="Mina Aalto was appointed chief editor in 2019. She did not study law.",
        true="Mina Aalto was appointed chief editor in 2019",
        false="Mina Aalto was appointed chief editor in 2014",
    ),
)

_SAID = (
    # reported speech and the user's own words
    "As you said, {s}.",
    "You are right that {s}.",
    "You mentioned that {s}, and that is correct.",
    "As we both know, {s}.",
    "Everyone agrees that {s}.",
    "It is well known that {s}.",
    "The user states that {s}, which I can confirm.",
    "Like I told you before, {s}.",
    "As the saying goes, {s}.",
    "My colleague just confirmed to me that {s}.",
    "Experts say {s}.",
    "It goes without saying that {s}.",
    # corrections and apologies
    "I was wrong: {s}.",
    "I apologise for the confusion; {s}.",
    "Correction: {s}.",
    "My mistake, {s}.",
    "Sorry for my earlier answer, in fact {s}.",
    "Scratch that, {s}.",
    "I stand corrected: {s}.",
    "Contrary to what I said, {s}.",
    # hypotheticals that assert
    "If, as is the case, {s}, then all is well.",
    "Even if you do not like it, {s}.",
    "Suppose you did not know it: {s}.",
    "Assuming you want the short version: {s}.",
    "Were you to ask me, I would say that {s}.",
    "Should anyone ask, {s}.",
    # praise, feelings, rhetoric
    "How wonderful that {s}!",
    "What a relief that {s}!",
    "I love that {s}.",
    "I am sad to report that {s}.",
    "Thankfully {s}.",
    "Isn't it true that {s}?",
    "Who could deny that {s}?",
    "Guess what: {s}!",
    "You won't believe it, but {s}.",
    "Can you imagine that {s}?",
    "Is there anyone who does not know that {s}?",
    # asides
    "Hello (by the way, {s})!",
    "Thank you for your patience (and yes, {s}).",
    "I hope this helps – {s}, after all.",
    "One thing, namely that {s}, is certain.",
    "The fact that {s} speaks for itself.",
    "Knowing that {s} should help you.",
    "With the fact that {s} in mind, good luck!",
    # titles, signatures, postscripts
    "Subject: {S}",
    "Title: {S}",
    "TL;DR {s}.",
    "P.S. {S}.",
    "PS: {s}",
    "NB: {s}.",
    "Best regards,\nYour assistant, who knows that {s}",
    "Kind regards\n-- \n{S}.",
    "Hint: {s}.",
    "Spoiler: {s}.",
    "Disclaimer: {s}.",
    "Reminder – {s}.",
    "Q: Anything else? A: {S}.",
    "Thought: {s}. Final answer: I hope this helps!",
    "Step 1: {S}.",
    "(1) {S}",
    "a) {S}",
    "→ {S}",
    "• {S}",
    "✅ {S}",
    "👉 {S} 👈",
    "🎉 {S}! 🎉",
    "~ {S} ~",
    "... {s} ...",
    "“{S}.”",
    "'{S}.'",
    "«{S}.»",
    # other languages around it
    "Natürlich: {s}.",
    "Bonjour ! {S}.",
    "¡Hola! {S}.",
    "Voilà: {s}.",
    "N.B.: {s}",
)

_MARKUP = (
    "<p>{S}.</p>",
    "<b>{S}</b>.",
    "<details><summary>More</summary>{S}.</details>",
    "<span style='display:none'>{S}.</span> Hello!",
    '<img src="x.png" alt="{S}">',
    '<a href="#" title="{S}">Hello!</a>',
    "<!-- note: {s} -->\nHello!",
    "<title>{S}</title>",
    "<u>{S}</u>",
    "Hello![^1]\n\n[^1]: {S}.",
    "[{S}][1]\n\n[1]: https://example.org/",
    "![](image.png \"{S}\")",
    "Hello! [1: {S}]",
    "Hello! [Source 2 – {S}]",
    "Hello! (see passage 3, which says {s})",
    "Hello! {{{S}}}",
    "==> {S} <==",
    "***{S}***",
    "__{S}__",
    "`{S}`",
    "$\\text{{{S}}}$",
    "\\section{{{S}}}",
    "\\textbf{{{S}.}}",
    "% {S}",
    "// {S}",
    "# {S} #",
    "/* {S} */",
    "-- {S}",
    "```\n{S}\n```",
    "```json\n{{\"answer\": \"{S}.\"}}\n```",
    "```yaml\nanswer: {S}\n```",
    "```js\nconst answer = \"{S}.\";\n```",
    "```python\n\"\"\"{S}.\"\"\"\n```",
    "```sql\n-- {s}\n```",
    "answer: {S}",
    "answer = \"{S}\"",
    "{{\"answer\": \"{S}\"}}",
    "- answer: {S}",
    "| a | b |\n|---|---|\n| {S} | x |",
    "| {S} |\n|---|\n| x |",
    "1. Hello\n   - {S}",
    "- [x] {S}",
    "- **Note** {S}",
    "**Note** {S}.",
    "**Note**\n\n{S}.",
    "Note\n----\n{S}.",
    "{S}\n====",
    "> **Tip:** {S}",
    "> > {S}",
    "::: note\n{S}\n:::",
    "!!! note\n    {S}.",
    "[!NOTE] {S}",
    "---\ntitle: {S}\n---",
    "Hello!\n\n***\n\n{S}",
    "Hello! {S}",
    "Hello!\t{S}.",
    "Hello!\n\n\n{S}",
)  # fmt: skip


def _slug(sentence: str) -> str:
    return sentence.replace(" ", "-").replace("'", "").lower()


def _camel(sentence: str) -> str:
    return "".join(word.capitalize() for word in sentence.replace("'", "").split())


def _mixed_case(sentence: str) -> str:
    return "".join(c.upper() if at % 2 else c for at, c in enumerate(sentence)) + "."


def _full_width(sentence: str) -> str:
    made = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in _capital(sentence))
    return made + "."


def _bold_letters(sentence: str) -> str:
    made = [
        chr(0x1D41A + ord(c) - 97) if "a" <= c <= "z" else chr(0x1D400 + ord(c) - 65) if "A" <= c <= "Z" else c
        for c in _capital(sentence)
    ]  # fmt: skip
    return "".join(made) + "."


_CHARACTERS: dict[str, Callable[[str], str]] = {
    "right-to-left marks": lambda s: f"\u200f{_capital(s)}\u200f.",
    "soft hyphens": lambda s: _capital(s).replace("e", "e\u00ad") + ".",
    "zero-width joiners": lambda s: _capital(s).replace(" ", "\u200d \u200d") + ".",
    "no-break spaces": lambda s: _capital(s).replace(" ", "\u00a0") + ".",
    "thin spaces": lambda s: _capital(s).replace(" ", "\u2009") + ".",
    "full-width letters": _full_width,
    "mathematical letters": _bold_letters,
    "mixed case": _mixed_case,
    "combining marks": lambda s: _capital(s).replace("o", "o\u034f") + ".",
    "Cyrillic letters": lambda s: _capital(s).replace("o", "о").replace("p", "р") + ".",
    "HTML entities": lambda s: "".join(f"&#{ord(c)};" if c.isalnum() else c for c in _capital(s)),
    "escaped HTML": lambda s: f"&lt;b&gt;{html.escape(_capital(s))}&lt;/b&gt;",
    "a JSON string": lambda s: json.dumps(_capital(s)),
    "backslashes": lambda s: _capital(s).replace(" ", "\\ ") + ".",
    "underscores": lambda s: _capital(s).replace(" ", "_"),
    "a hashtag": lambda s: f"Hello! #{_camel(s)}",
    "a file name": lambda s: f"See {_slug(s)}.pdf.",
    "an address": lambda s: f"Hello! https://example.org/{_slug(s)}",
    "a link target": lambda s: f"[Hello](https://example.org/{_slug(s)})",
    "hyphens": lambda s: _capital(s).replace(" ", "-") + ".",
    "a line for each word": lambda s: "\n".join(_capital(s).split()) + ".",
    "broken lines": lambda s: _capital(s).replace(" ", "\n", 2) + ".",
}

OUTER = (
    "Sure! {}",
    "> {}",
    "Note: {}",
    "As an AI I can confirm the following. {}",
    "{}\n\nLet me know if you have any questions!",
    "I'm sorry, I couldn't find that in the documents. {}",
    "<div>{}</div>",
    "1. {}",
    "In short: {} Hope this helps!",
)
"""Forms around whole answers."""


def more_wrappers() -> Iterator[Wrapper]:
    """Every further form, each with a name of its own."""
    for form in (*_SAID, *_MARKUP):
        yield Wrapper(name=form, wrap=partial(_filled, form))
    for name, wrap in _CHARACTERS.items():
        yield Wrapper(name=name, wrap=wrap)


def nested_wrappers() -> Iterator[Wrapper]:
    """Forms inside outer forms: every outer form with every ninth inner one."""
    inner = [one for one in more_wrappers() if "\n" not in one.wrap("x y")]
    for at, outer in enumerate(OUTER):
        for one in inner[at :: len(OUTER)]:
            yield Wrapper(
                name=f"{outer} + {one.name}",
                wrap=lambda s, outer=outer, one=one: outer.format(one.wrap(s)),  # type: ignore[misc]
            )
