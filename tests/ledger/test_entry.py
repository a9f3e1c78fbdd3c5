"""Every entry has one sequence of bytes, and every other sequence is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ledger.mutants import dump
from tests.ledger.paper_log import TIME, key, run_id

from firmground.core.merkle import leaf_hash
from firmground.core.run import AttemptReason, Shape
from firmground.errors import CanonError, FirmgroundError, InputError
from firmground.ledger.entry import (
    NO_ENTRY,
    Body,
    BurnEntry,
    CacheState,
    Durability,
    Entry,
    EraseEntry,
    FalsifyEntry,
    HookEntry,
    HookOutcome,
    IngestEntry,
    KeyAction,
    KeyEntry,
    LookupEntry,
    PolicyEntry,
    ResealEntry,
    RunEntry,
    StampEntry,
    StampKind,
    Stream,
    entry_bytes,
    entry_hash,
    parse_entry,
    template,
)

H, G = bytes(range(32)), bytes(range(32, 64))
VKEY = str(key("example.com/log").verifier)
ANSWERED = RunEntry(
    run=run_id(1),
    shape=Shape.POINTER,
    preflight=True,
    attempts=(AttemptReason.FIRST, AttemptReason.REGENERATE),
    n=15,
    root=H,
    label=(("audit_mode", "HYBRID"), ("step", "regenerate")),
    aside=G,
    policy=H,
    stream=Stream.WINDOWED,
)
BODIES: tuple[Body, ...] = (
    ANSWERED,
    RunEntry(
        run=run_id(2), shape=Shape.REJECT, preflight=True, attempts=(), n=3, root=H,
        label=(("step", "abstain"),),
    ),
    IngestEntry(source="https://example.com/a", root=H, n=12),
    HookEntry(run=run_id(1), hook="stock", outcome=HookOutcome.ERROR, version="2", asked=H),
    HookEntry(run=None, hook="stock", outcome=HookOutcome.PASS, version="", asked=H, replied=G),
    FalsifyEntry(of=3, state=CacheState.FAILED, actor="ada", reason="wrong year"),
    BurnEntry(of=3, actor="ada", reason="", forced=True, children=2),
    EraseEntry(run=run_id(1), commits=(G, H), actor="ada", reason="asked to"),
    PolicyEntry(name="strict", policy=H, actor="ada"),
    KeyEntry(action=KeyAction.BEGIN, key=VKEY, by=VKEY, made=TIME, sigs=(bytes(64),)),
    ResealEntry(size=7, root=H, actor="ada", reason="restored"),
    LookupEntry(run=run_id(1), of=3, served=True, reason=""),
    StampEntry(size=3, root=H, kind=StampKind.RFC3161, token=b"token"),
)  # fmt: skip


def an_entry(body: Body) -> Entry:
    return Entry(seq=7, prev=G, ts=TIME, durability=Durability.FULL, body=body)


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.type)
def test_every_type_is_written_and_read_back(body: Body) -> None:
    entry = an_entry(body)
    data = entry_bytes(entry)
    assert parse_entry(data) == entry
    assert entry_bytes(parse_entry(data)) == data
    assert entry_hash(data) == leaf_hash(data)
    assert json.loads(data)["type"] == body.type


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.type)
@pytest.mark.parametrize("durability", list(Durability))
def test_an_entry_that_is_filled_in_has_the_same_bytes(body: Body, durability: Durability) -> None:
    seq = 7
    whole = Entry(seq=seq, prev=G, ts=TIME, durability=durability, body=body)
    made = template(body, durability)
    assert made.filled(seq=seq, prev=G, ts=TIME) == entry_bytes(whole)
    with pytest.raises(InputError, match="first entry"):
        made.filled(seq=seq, prev=NO_ENTRY, ts=TIME)
    with pytest.raises(InputError, match="first entry"):
        made.filled(seq=0, prev=G, ts=TIME)


def test_an_entry_whose_label_looks_like_its_head_is_filled_in_where_it_should_be() -> None:
    odd = {"prev": "0" * 64, "seq": "0", "ts": TIME, "v": "fg2", "a": '"prev":"00","seq":1,'}
    body = replace(ANSWERED, label=tuple(sorted(odd.items())))
    filled = template(body, Durability.FULL).filled(seq=7, prev=G, ts=TIME)
    assert filled == entry_bytes(an_entry(body))
    assert parse_entry(filled).body == body


def test_a_reseal_is_filled_in_only_where_it_speaks_about() -> None:
    body = ResealEntry(size=7, root=H, actor="ada", reason="restored")
    with pytest.raises(InputError, match="reseal at 8"):
        template(body, Durability.FULL).filled(seq=8, prev=G, ts=TIME)


def test_an_entry_that_nobody_could_read_back_is_refused_before_it_queues() -> None:
    label = tuple((f"k{n:04d}", "x" * 1_020) for n in range(1_020))
    body = replace(ANSWERED, label=label)
    with pytest.raises((InputError, CanonError)):
        template(body, Durability.FULL)


def test_a_run_entry_reads_as_documented() -> None:
    assert json.loads(entry_bytes(an_entry(BODIES[0]))) == {
        "v": "fg1", "type": "run", "seq": 7, "prev": G.hex(), "ts": TIME, "durability": "full",
        "run": run_id(1), "shape": "pointer", "preflight": True,
        "attempts": ["first", "regenerate"], "n": 15, "root": H.hex(),
        "label": {"audit_mode": "HYBRID", "step": "regenerate"}, "aside": G.hex(),
        "policy": H.hex(), "stream": "windowed",
    }  # fmt: skip


def test_every_type_of_the_format_is_tried_here() -> None:
    from firmground.ledger import entry

    assert {body.type for body in BODIES} == set(entry._TYPES)


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.type)
def test_fields_are_exactly_those_of_the_type(body: Body) -> None:
    document = json.loads(entry_bytes(an_entry(body)))
    for name in document:
        rest = {key: value for key, value in document.items() if key != name}
        with pytest.raises(FirmgroundError):
            parse_entry(dump(rest))
    with pytest.raises(InputError, match="extra"):
        parse_entry(dump({**document, "extra": None}))


ODD: tuple[Any, ...] = (
    None,
    0,
    -1,
    1.5,
    True,
    "",
    "x",
    [],
    {},
    [None],
    {"a": 1},
    ["x"],
    "00" * 32,
    "AB" * 32,
    2**53,
)


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.type)
def test_a_value_of_another_kind_is_refused_or_is_another_entry(body: Body) -> None:
    document = json.loads(entry_bytes(an_entry(body)))
    for name in document:
        for value in ODD:
            if document[name] == value:
                continue
            data = dump({**document, name: value})
            try:
                other = parse_entry(data)
            except FirmgroundError:
                continue
            assert entry_bytes(other) == data
            assert other != an_entry(body)


@pytest.mark.parametrize(
    "make",
    [
        lambda: replace(ANSWERED, n=14),
        lambda: replace(ANSWERED, attempts=()),
        lambda: replace(ANSWERED, preflight=False),
        lambda: BurnEntry(of=3, actor="a", reason="", forced=False, children=1),
        lambda: an_entry(ResealEntry(size=6, root=H, actor="a", reason="")),
        lambda: Entry(seq=0, prev=H, ts=TIME, durability=Durability.FULL, body=BODIES[2]),
        lambda: Entry(seq=1, prev=NO_ENTRY, ts=TIME, durability=Durability.FULL, body=BODIES[2]),
    ],
)
def test_entries_that_contradict_themselves_cannot_be_made(make: Callable[[], Any]) -> None:
    with pytest.raises(InputError):
        make()


@pytest.mark.parametrize(
    "body",
    [
        replace(ANSWERED, run="x"),
        replace(ANSWERED, run=run_id(1).upper()),
        replace(ANSWERED, root=b"short"),
        replace(ANSWERED, label=()),
        replace(ANSWERED, label=(("b", "x"), ("a", "x"))),
        replace(ANSWERED, label=(("a", "x"), ("a", "y"))),
        replace(ANSWERED, label=(("A", "x"),)),
        replace(ANSWERED, label=(("a", "x" * 1025),)),
        replace(ANSWERED, label=(("a", "\ud800"),)),
        IngestEntry(source=" ", root=H, n=1),
        IngestEntry(source="x", root=H, n=-1),
        IngestEntry(source="x", root=H, n=2**53),
        IngestEntry(source="x", root=H, n=True),
        EraseEntry(run=run_id(1), commits=(), actor="a", reason=""),
        EraseEntry(run=run_id(1), commits=(H, H), actor="a", reason=""),
    ],
)
def test_values_without_a_spelling_are_refused_when_written(body: Body) -> None:
    with pytest.raises(InputError):
        entry_bytes(an_entry(body))


@pytest.mark.parametrize(
    "ts",
    [
        "",
        "2026-11-15",
        "2026-11-15T22:40:00Z",
        "2026-11-15T22:40:00.000Z",
        "2026-13-15T22:40:00.000000Z",
        "2026-02-30T22:40:00.000000Z",
        "2026-11-15T24:40:00.000000Z",
        "2026-11-15T22:40:00.000000+00:00",
        "2026-11-15 22:40:00.000000Z",
        "2026-11-15T22:40:00.000000z",
        " 2026-11-15T22:40:00.000000Z",
        "2026-11-15T22:40:00.000000Z\n",
        "\u0662026-11-15T22:40:00.000000Z",
    ],
)
def test_a_time_has_one_spelling(ts: str) -> None:
    with pytest.raises(InputError):
        entry_bytes(replace(an_entry(BODIES[2]), ts=ts))


def test_another_version_or_type_is_refused() -> None:
    document = json.loads(entry_bytes(an_entry(BODIES[2])))
    for change in ({"v": "fg2"}, {"v": "fg0"}, {"v": 1}, {"type": "other"}, {"type": None}):
        with pytest.raises(InputError):
            parse_entry(dump({**document, **change}))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=100))
def test_no_bytes_make_the_parser_fail_in_another_way(data: bytes) -> None:
    with pytest.raises(InputError):
        parse_entry(data)
