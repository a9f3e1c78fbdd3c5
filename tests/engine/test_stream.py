"""Text that is still being written goes out only after it was checked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground import Engine, StreamFinished, TextReleased, TextWithheld
from firmground.pipeline.stream import all_units, complete_units
from firmground.testing import FunctionModel

SOURCE = (
    "The Alder bridge opened in 1932. It carries 40,000 cars a day. It is 300 metres long. "
    "| span | metres |\n|---|---|\n| main | 120 |\n"
)
ANSWER = (
    "The Alder bridge opened in 1932. It carries 90,000 cars a day. It is 300 metres long.\n\n"
    "```\nopen. the(bridge)\n\nclose()\n```\nIt opened in 1932."
)


def events_of(text: str, size: int, **given: Any) -> list[Any]:
    async def pieces() -> AsyncIterator[str]:
        for at in range(0, len(text), size):
            yield text[at : at + size]

    async def collect() -> list[Any]:
        async with Engine(judge="lexical") as engine:
            return [one async for one in engine.stream(pieces(), evidence=SOURCE, **given)]

    return asyncio.run(collect())


@pytest.mark.parametrize("size", [1, 5, 17, 1000])
def test_what_is_wrong_is_held_back_however_the_text_arrives(size: int) -> None:
    *parts, last = events_of(ANSWER, size)
    assert isinstance(last, StreamFinished)
    assert not last.result
    assert "".join(part.text for part in parts) == ANSWER
    withheld = [part for part in parts if isinstance(part, TextWithheld)]
    assert any("90,000" in part.text for part in withheld)
    shown = "".join(part.text for part in parts if isinstance(part, TextReleased))
    assert "90,000" not in shown
    assert shown.startswith("The Alder bridge opened in 1932. ")
    for part in parts:
        assert ANSWER[part.start : part.end] == part.text


def test_the_whole_text_has_the_result_of_a_plain_check() -> None:
    last = events_of(ANSWER, 9)[-1]
    with Engine(judge="lexical") as engine:
        assert last.result.to_dict() == engine.check(ANSWER, SOURCE).to_dict()


def test_nothing_of_a_sentence_goes_out_before_its_end() -> None:
    async def watch() -> list[str]:
        shown: list[str] = []
        seen: list[str] = []

        async def pieces() -> AsyncIterator[str]:
            for letter in ANSWER[:62]:
                seen.append("".join(shown))
                yield letter

        async with Engine(judge="lexical") as engine:
            async for event in engine.stream(pieces(), evidence=SOURCE):
                if isinstance(event, TextReleased):
                    shown.append(event.text)
        return seen

    seen = asyncio.run(watch())
    assert not any(seen[:33])
    assert {"", "The Alder bridge opened in 1932. "} >= set(seen)


def test_under_advisory_everything_goes_out_and_says_what_was_waived() -> None:
    *parts, last = events_of(ANSWER, 9, policy="advisory")
    assert all(isinstance(part, TextReleased) for part in parts)
    assert any(part.waived for part in parts)
    assert not last.result.stands


def test_the_engines_model_writes_when_no_text_is_given() -> None:
    async def collect() -> list[Any]:
        model = FunctionModel(function=lambda request: "The Alder bridge opened in 1932.")
        async with Engine(judge="lexical", model=model) as engine:
            stream = engine.stream(evidence=SOURCE, question="When did the Alder bridge open?")
            return [one async for one in stream]

    released, last = asyncio.run(collect())
    assert released.text == "The Alder bridge opened in 1932."
    assert last.result


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="aB1. \n|-`*:", max_size=80), st.integers(0, 80))
def test_units_cover_the_text_and_only_begun_ones_are_open(text: str, begin: int) -> None:
    begin = min(begin, len(text))
    units = all_units(text, begin)
    assert "".join(text[a:b] for a, b in units) == text[begin:]
    complete = complete_units(text, begin)
    assert units[: len(complete)] == complete
