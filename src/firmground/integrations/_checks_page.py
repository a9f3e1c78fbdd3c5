"""One HTML page with the reports of many checks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em}"
    "summary{cursor:pointer;padding:.3em;border-bottom:1px solid #ccc}"
    ".no{color:#a40000}.yes{color:#00602b}iframe{width:100%;height:36em;border:1px solid #ccc}"
)


def checks_page(title: str, summary: str, checks: Sequence[tuple[str, dict[str, Any]]]) -> str:
    """Return a self-contained page with every check, those that failed first and open.

    A check is a name and a mapping with ``holds``, ``verdict``, ``support``, ``risk``, ``page``.
    """
    parts = [_entry(name, one) for name, one in sorted(checks, key=_order)]
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>firmground: {escape(summary)}"
        f"</title><style>{_STYLE}</style><h1>{escape(title)}</h1>"
        f"<p>{escape(summary)}</p>{''.join(parts)}</html>\n"
    )


def _order(entry: tuple[str, dict[str, Any]]) -> tuple[bool, str]:
    return bool(entry[1]["holds"]), entry[0]


def _entry(name: str, one: dict[str, Any]) -> str:
    kind = "yes" if one["holds"] else "no"
    verdict = escape(str(one["verdict"]).replace("_", " "))
    return (
        f"<details{'' if one['holds'] else ' open'}><summary><b class={kind}>{verdict}</b> "
        f"{escape(name)} · support {one['support']} · risk {one['risk']}</summary>"
        f'<iframe loading=lazy sandbox="allow-scripts" srcdoc="{escape(one["page"], quote=True)}">'
        "</iframe></details>"
    )
