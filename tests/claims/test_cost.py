"""Nothing in this room costs more than the length of what it reads, however it is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from firmground import claims
from firmground.core.evidence import Evidence

EVIDENCE = [
    Evidence(text="The tower is tall. " * 20, id="a", title="Tower"),
    Evidence(text="Cats sleep a lot. " * 20, id="b"),
]
READERS: dict[str, Callable[[str], object]] = {
    "prose": lambda text: claims.coverage(text, claims.prose_claims(text)),
    "citations": lambda text: claims.check_citations(text, EVIDENCE),
    "evidence": lambda text: claims.check_citations(
        'Says "abc def ghi" [3]', [Evidence(text=text)]
    ),
    "repair": lambda text: claims.repair_quotes(text, EVIDENCE),
    "layered": lambda text: claims.layered_verify(text, ["The tower is tall."]),
    "contexts": lambda text: claims.layered_verify("The tower is tall and old.", [text]),
    "pointer": lambda text: claims.render_lattice(
        claims.verify_pointer_answer(text, EVIDENCE, "who?")
    ),
    "json": lambda text: claims.verify_json_answer(text, EVIDENCE),
}
UNITS = [
    "\n",
    "Step 1: ",
    "<ref>",
    '"abc def ghi jkl" ',
    "[1]",
    ", and it is",
    "e\u0301",
    "- x\n",
    "{{",
]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("reader", READERS)
def test_cost_grows_with_the_text_and_not_faster(
    reader: str, unit: str, grows_straight: Any
) -> None:
    assert grows_straight(lambda size: READERS[reader](unit * (size // len(unit))), 12_000)
