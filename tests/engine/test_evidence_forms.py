"""Evidence in every form that callers have it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from firmground import Engine, Evidence, InputError
from firmground.engine.evidence import evidence_from
from firmground.testing import PrefixReader

TEXT = "The Alder bridge opened in 1932."


@dataclass
class LangChainLike:
    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class HaystackLike:
    content: str
    meta: dict[str, Any] = field(default_factory=dict)
    score: float | None = None


class LlamaIndexLike:
    metadata: dict[str, Any] = {"file_path": "a.txt"}  # noqa: RUF012

    def get_content(self) -> str:
        return TEXT


@dataclass
class TextNode:
    text: str


class Frame:
    """Shaped like a dataframe of pandas."""

    columns = ("name", "opened")
    iloc = None

    def to_dict(self, orient: str) -> list[dict[str, Any]]:
        assert orient == "records"
        return [{"name": "Alder bridge", "opened": 1932, "closed": float("nan")}]


class PolarsFrame:
    columns = ("name",)

    def to_dicts(self) -> list[dict[str, Any]]:
        return [{"name": "Alder bridge"}]


@pytest.mark.parametrize(
    "given",
    [
        TEXT,
        Evidence(text=TEXT),
        {"text": TEXT},
        {"page_content": TEXT, "metadata": {"source": "x"}},
        LangChainLike(TEXT),
        HaystackLike(TEXT),
        LlamaIndexLike(),
        TextNode(TEXT),
    ],
)
def test_one_piece_alone_in_a_list_or_from_a_generator(given: Any) -> None:
    for form in (given, [given], (given,), iter([given])):
        (piece,) = evidence_from(form)
        assert piece.text == TEXT


def test_what_other_libraries_know_about_a_document_is_kept() -> None:
    (piece,) = evidence_from(LangChainLike(TEXT, {"source": "a.pdf", "title": "Log"}, id="d1"))
    assert (piece.origin, piece.title, piece.id) == ("a.pdf", "Log", "d1")
    (piece,) = evidence_from(HaystackLike(TEXT, {"url": "https://x"}, score=0.5))
    assert (piece.origin, piece.score) == ("https://x", 0.5)
    (piece,) = evidence_from(LlamaIndexLike())
    assert piece.origin == "a.txt"


def test_the_rows_of_a_table_are_evidence() -> None:
    (piece,) = evidence_from(Frame())
    assert '"opened": 1932' in piece.text
    assert '"closed": null' in piece.text
    assert evidence_from([PolarsFrame()])[0].text == '[{"name": "Alder bridge"}]'


def test_a_path_is_read_and_one_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "log.txt"
    file.write_text(TEXT)
    (piece,) = evidence_from(file)
    assert piece.text == TEXT
    assert [one.text for one in evidence_from([file, "More."])] == [TEXT, "More."]
    with pytest.raises(InputError, match=r"evidence\[0\]: there is no file or folder"):
        evidence_from([tmp_path / "nowhere.txt"])


@pytest.mark.parametrize("given", [5, None, b"bytes", object(), [5], [None], [b"x"]])
def test_a_wrong_type_is_told_what_would_be_taken(given: Any) -> None:
    with pytest.raises(InputError, match=r"evidence may be a string, a pathlib\.Path"):
        evidence_from(given)


def test_a_reader_of_ones_own_comes_first() -> None:
    with Engine(judge="lexical", readers=[PrefixReader(prefix="note:")]) as engine:
        result = engine.check(TEXT, f"note: {TEXT}")
    assert result
    assert result.request.evidence[0].origin == "prefix"
