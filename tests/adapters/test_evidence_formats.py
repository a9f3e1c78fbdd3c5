"""Every format becomes evidence whose offsets lead back to the original."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from firmground.adapters.evidence import evidence_from_value, load_path, load_source
from firmground.adapters.evidence.limits import ReadLimits, SourceLabel
from firmground.core.evidence import Evidence, EvidenceKind, Trust
from firmground.errors import InputError


def write(folder: Path, name: str, data: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    return path


def pdf_of(*pages: str) -> bytes:
    """The smallest PDF with these lines of text, one page each."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF".encode()
    return out


def one(path: Path, label: SourceLabel | None = None) -> Evidence:
    (piece,) = load_path(path, label or SourceLabel()).evidence
    return piece


def test_a_text_file_is_one_verbatim_piece_that_names_its_origin(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "Ætna erupted.\r\nTwice.\n")
    piece = one(path)
    assert piece.text == "Ætna erupted.\r\nTwice.\n"
    assert (piece.kind, piece.role, piece.trust) == (EvidenceKind.TEXT, "source", Trust.RETRIEVED)
    assert piece.origin == str(path)
    assert piece.in_original(0, 4) == (0, 4)


def test_a_byte_order_mark_shifts_the_offsets_by_one(tmp_path: Path) -> None:
    data = codecs.BOM_UTF8 + b"Etna erupted."
    piece = one(write(tmp_path, "a.txt", data))
    start, end = piece.in_original(0, 4) or (0, 0)
    assert data.decode("utf-8")[start:end] == "Etna" == piece.text[:4]
    assert one(write(tmp_path, "b.txt", "Etna".encode("utf-16"))).text == "Etna"


def test_markdown_stays_verbatim(tmp_path: Path) -> None:
    piece = one(write(tmp_path, "a.md", "# Head\n\n* one **bold** word"))
    assert piece.kind is EvidenceKind.MARKDOWN
    assert piece.text.startswith("# Head")


def test_html_gives_what_a_reader_sees_and_where_it_stands(tmp_path: Path) -> None:
    page = (
        "<html><head><title>A &amp; B</title><style>p{}</style></head><body>\n"
        "<p>Fish &amp; chips\n   cost&nbsp;5</p><script>alert('no')</script>"
        "<table><tr><td>x</td><td>1</td></tr><tr><td>y</td><td>2</td></tr></table>"
        "<div style='display:none'>unseen <div>deeper</div> text</div><!-- nor this -->"
        "<p hidden>gone<p>last</body></html>"
    )
    piece = one(write(tmp_path, "a.html", page))
    assert piece.title == "A & B"
    assert piece.text == "Fish & chips cost\xa05\nx\t1\ny\t2\nlast"
    at = piece.text.index("& chips cost")
    start, end = piece.in_original(at, at + len("& chips cost")) or (0, 0)
    assert page[start:end] == "&amp; chips\n   cost"
    at = piece.text.index("last")
    assert page[slice(*(piece.in_original(at, at + 4) or (0, 0)))] == "last"


def test_a_pdf_gives_a_piece_for_each_page_with_its_number(tmp_path: Path) -> None:
    pytest.importorskip("pypdf", reason="needs the pdf extra")
    path = write(tmp_path, "a.pdf", pdf_of("First page.", "Second page."))
    pieces = load_path(path).evidence
    assert [(p.page, p.text.strip()) for p in pieces] == [(1, "First page."), (2, "Second page.")]
    assert all(p.kind is EvidenceKind.PDF and p.in_original(0, 1) is None for p in pieces)


def test_a_pdf_without_text_and_a_broken_pdf_are_said_to_be_so(tmp_path: Path) -> None:
    pytest.importorskip("pypdf", reason="needs the pdf extra")
    with pytest.raises(InputError, match=r"scan\.pdf: no page has a text layer"):
        load_path(write(tmp_path, "scan.pdf", pdf_of("")))
    with pytest.raises(InputError, match=r"bad\.pdf.*not a readable PDF"):
        load_path(write(tmp_path, "bad.pdf", b"%PDF-1.4\n\xff\xfe junk"))


def test_each_record_of_a_json_array_keeps_its_exact_place(tmp_path: Path) -> None:
    text = '[ {"name": "Zoë", "stars": 4.50},\n  {"name":"B"} ]'
    pieces = load_path(write(tmp_path, "a.json", text)).evidence
    assert [p.text for p in pieces] == ['{"name": "Zoë", "stars": 4.50}', '{"name":"B"}']
    for piece in pieces:
        start, end = piece.in_original(0, len(piece.text)) or (0, 0)
        assert text[start:end] == piece.text
        assert piece.kind is EvidenceKind.RECORD


def test_each_line_of_jsonl_keeps_its_exact_place_and_descriptions_are_read(tmp_path: Path) -> None:
    text = '{"a": 1}\r\n\n  {"b": 2}\n{"text": "Said so.", "id": "d1", "trust": "vouched"}\n'
    one_, two, three = load_path(write(tmp_path, "a.jsonl", text)).evidence
    for piece in (one_, two):
        start, end = piece.in_original(0, len(piece.text)) or (0, 0)
        assert text[start:end] == piece.text
    assert (three.id, three.text, three.trust) == ("d1", "Said so.", Trust.VOUCHED)


def test_a_csv_table_stays_verbatim_and_a_torn_one_is_refused_with_its_line(tmp_path: Path) -> None:
    text = 'city,people\n"Paris, FR",2\n'
    assert one(write(tmp_path, "a.csv", text)).text == text
    with pytest.raises(InputError, match=r"b\.csv: line 3: not CSV"):
        load_path(write(tmp_path, "b.csv", 'a,b\n1,2\n"open,3\n'))
    with pytest.raises(InputError, match=r"c\.csv: line 2: 3 fields under a head of 2"):
        load_path(write(tmp_path, "c.csv", "a,b\n1,2,3\n"))


def test_a_tools_reply_is_measured_and_names_its_call(tmp_path: Path) -> None:
    path = write(tmp_path, "reply.json", '{"tool": "sql", "rows": [{"n": 3}]}')
    (piece,) = load_source(f"tool:{path}").evidence
    assert (piece.kind, piece.role, piece.trust) == (EvidenceKind.TOOL, "tool", Trust.MEASURED)
    assert piece.origin == "tool:sql"


def test_rows_given_as_values_become_one_line_each() -> None:
    piece = evidence_from_value({"rows": [{"n": 1}, {"n": None}], "origin": "sql"})
    assert piece.text == '[{"n": 1},\n{"n": null}]'
    assert (piece.kind, piece.trust) == (EvidenceKind.TOOL, Trust.MEASURED)


def test_a_folder_is_read_in_a_fixed_order_and_says_what_it_left_out(tmp_path: Path) -> None:
    write(tmp_path, "b.txt", "B")
    write(tmp_path, "a.md", "A")
    write(tmp_path, "c.png", b"\x89PNG")
    (tmp_path / "sub").mkdir()
    write(tmp_path / "sub", "d.txt", "D")
    (tmp_path / "link.txt").symlink_to("/etc/hostname")
    loaded = load_path(tmp_path)
    assert [p.text for p in loaded.evidence] == ["A", "B", "D"]
    assert {Path(s.origin).name for s in loaded.skipped} == {"c.png", "link.txt"}


def test_what_the_caller_says_about_a_source_wins(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "x")
    label = SourceLabel(
        role="background", trust=Trust.UNTRUSTED, retrieved_at="2026-01-01T00:00:00Z"
    )
    piece = one(path, label)
    assert (piece.role, piece.trust, piece.retrieved_at) == (
        "background",
        Trust.UNTRUSTED,
        "2026-01-01T00:00:00Z",
    )


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("empty.txt", b" \n", "empty"),
        ("zero.txt", b"ab\ncd\0", "line 2: a zero byte; this is binary data"),
        ("noise.txt", bytes(range(1, 32)) * 9, "this is binary data"),
        ("latin.txt", b"ok\ncaf\xe9", r"line 2: byte 6 \(0xe9\) is not utf-8"),
        ("deep.json", b"[" * 40 + b"]" * 40, "line 1, column 33: nested more than 32 deep"),
        ("very.json", b"[" * 90_000 + b"]" * 90_000, "nested more than 32 deep"),
        ("twice.json", b'{"a": 1, "a": 2}', "key 'a' stands twice"),
        ("nan.json", b'{"a": NaN}', "NaN is not a JSON number"),
        ("torn.json", b'{"a": ', "line 1, column 7: not JSON"),
        ("torn.jsonl", b'{"a": 1}\n{"a"', "line 2, column 5: not JSON"),
        ("none.json", b"[]", "an empty array"),
        ("long.json", b'{"a": ' + b"9" * 5000 + b"}", "an integer of 5000 digits"),
        ("blank.html", b"<p> </p>", "the page shows no text"),
    ],
)
def test_input_that_is_not_evidence_gets_an_error_naming_file_and_line(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        load_path(write(tmp_path, name, data))
    assert name in str(caught.value)


def test_a_source_beyond_the_limit_is_refused_and_not_cut(tmp_path: Path) -> None:
    label = SourceLabel(limits=ReadLimits(max_bytes=10))
    with pytest.raises(InputError, match=r"a\.txt: larger than 10 bytes"):
        load_path(write(tmp_path, "a.txt", "x" * 11), label)


@pytest.mark.parametrize("source", ["@nowhere", "nowhere.txt", "no/where", "@no.pdf"])
def test_a_missing_file_is_an_error_and_never_taken_for_text(source: str) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_source(source)


def test_words_are_text() -> None:
    (piece,) = load_source("Read and/or write report.txt today").evidence
    assert piece.text == "Read and/or write report.txt today"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "evidence is a int"),
        ({}, "exactly one of"),
        ({"text": "a", "rows": [1]}, "exactly one of"),
        ({"text": 3}, r"evidence\.text must be a string"),
        ({"text": "a", "kindd": "x"}, r"evidence\.kindd is unknown"),
        ({"text": "a", "kind": "x"}, r"evidence\.kind 'x' is unknown"),
        ({"text": "a", "trust": "x"}, r"evidence\.trust 'x' is unknown"),
        ({"text": "a", "score": float("nan")}, r"evidence\.score must be a finite"),
        ({"text": "a", "page": 0}, r"evidence\.page counts from 1"),
        ({"text": "a\0b"}, "binary data"),
        ("  ", "is empty"),
    ],
)
def test_a_wrong_description_is_an_error_that_names_the_key(value: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evidence_from_value(value)
