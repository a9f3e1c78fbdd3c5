"""A proof is one text; a statement is what was signed, and comes back as the same bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from securesystemslib.dsse import Envelope as OtherEnvelope
from securesystemslib.signer._key import SSlibKey
from tests.ledger.paper_log import ORIGIN, a_log, key

from firmground.errors import InputError
from firmground.ledger import dsse, proof
from firmground.ledger.entry import entry_hash
from firmground.ledger.keys import KeyKind

LOG = a_log(13)
KEY = LOG.signer.verifier
STATEMENT = dsse.LogStatement(
    subjects=(("answer/0", dsse.answer_digest(b"hello")),),
    run="019a8a3c-0000-7000-8000-000000000000",
    label=(("step", "proceed"),),
    origin=ORIGIN,
    index=3,
    size=13,
    bundle=bytes(32),
)


# -- proofs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seq", range(13))
def test_every_entry_has_a_proof_that_is_read_as_it_was_written(seq: int) -> None:
    text = LOG.proof(seq)
    read = proof.parse(text)
    assert read.text == text
    assert proof.parse(text.encode()) == read
    assert text.startswith(f"c2sp.org/tlog-proof@v1\nindex {seq}\n")
    for other in range(13):
        assert read.includes(entry_hash(LOG.entries[other])) == (other == seq)


def test_extra_data_is_carried_and_not_trusted() -> None:
    read = proof.parse(LOG.proof(2))
    with_extra = proof.Proof(index=2, path=read.path, checkpoint=read.checkpoint, extra=b"x")
    assert "\nextra eA==\nindex 2\n" in with_extra.text
    assert proof.parse(with_extra.text) == with_extra


GOOD = LOG.proof(2)


@pytest.mark.parametrize(
    "text",
    [
        "", GOOD[1:], GOOD.replace("@v1", "@v2"), GOOD.replace("index 2", "index 02"),
        GOOD.replace("index 2", "index  2"), GOOD.replace("index 2", "index -2"),
        GOOD.replace("index 2", "Index 2"), GOOD.replace("index 2\n", ""),
        GOOD.replace("index 2", "index 2\nindex 2"), GOOD.replace("index 2", "index 2 "),
        GOOD.replace("index 2", "index 2\nextra AAAA"), GOOD.replace("index 2", "extra A\nindex 2"),
        GOOD.replace("index 2\n", "index 2\nAAAA\n"), GOOD.replace("\n\n", "\n", 1),
        GOOD.replace("\n\n", "\n\n\n", 1), GOOD + "\n", GOOD[:-1], GOOD.replace("\n", "\r\n"),
        GOOD.replace("=\n", "\n", 1), GOOD.replace("index 2", "index 9223372036854775808"),
        GOOD.replace("index 2\n", "index 2\n" + "A" * 43 + "=\n" * 1 + ("A" * 43 + "=\n") * 63),
        GOOD.replace("\n13\n", "\n013\n"), "\ufeff" + GOOD,
    ],
)  # fmt: skip
def test_a_proof_has_one_spelling(text: str) -> None:
    with pytest.raises(InputError):
        proof.parse(text)


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(InputError, match="UTF-8"):
        proof.parse(b"\xff")


# -- envelopes ----------------------------------------------------------------------------------


def test_the_signed_bytes_are_those_of_the_published_example() -> None:
    """The worked example of DSSE v1.0."""
    payload_type = "http://example.com/HelloWorld"
    expected = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    assert dsse.pae(payload_type, b"hello world") == expected


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), st.binary(max_size=50))
def test_our_encoding_is_that_of_securesystemslib(payload_type: str, payload: bytes) -> None:
    other = OtherEnvelope(payload, payload_type, {})
    assert dsse.pae(payload_type, payload) == other.pae()


def test_securesystemslib_verifies_our_envelope() -> None:
    envelope = dsse.sign(STATEMENT.data, [LOG.signer])
    other = OtherEnvelope.from_dict(json.loads(envelope.data))
    value = {"public": KEY.public.hex()}
    theirs = SSlibKey(dsse.key_name(KEY), "ed25519", "ed25519", value)
    assert other.verify([theirs], 1)
    assert other.payload == STATEMENT.data
    assert json.loads(other.payload)["_type"] == "https://in-toto.io/Statement/v1"


def test_what_was_verified_is_what_comes_back() -> None:
    envelope = dsse.sign(STATEMENT.data, [LOG.signer])
    opened = dsse.open_envelope(envelope.data, [KEY])
    assert opened
    assert opened.payload == STATEMENT.data
    assert dsse.parse_statement(opened.payload) == STATEMENT
    assert opened.signed_by == (KEY,)


def refused(data: bytes, **how: Any) -> str:
    opened = dsse.open_envelope(data, how.pop("keys", [KEY]), **how)
    assert not opened.valid
    assert opened.payload == b""
    return opened.problem


def test_strangers_other_types_and_changed_payloads_are_refused() -> None:
    envelope = dsse.sign(STATEMENT.data, [LOG.signer])
    assert "not a known key" in refused(envelope.data, keys=[])
    cosigning = key(ORIGIN, kind=KeyKind.COSIGNATURE).verifier
    assert "not a known key" in refused(envelope.data, keys=[cosigning])
    assert "holds" in refused(envelope.data, payload_type="text/plain")
    changed = dsse.Envelope(payload=b"{}", signatures=envelope.signatures)
    assert "not valid" in refused(changed.data)
    two = dsse.sign(STATEMENT.data, [LOG.signer, key("stranger.example")])
    assert "stranger.example" in refused(two.data)
    typed = dsse.sign(STATEMENT.data, [LOG.signer], payload_type="text/plain")
    lied = dsse.Envelope(payload=STATEMENT.data, signatures=typed.signatures)
    assert "not valid" in refused(lied.data)


def test_an_envelope_has_one_spelling() -> None:
    good = dsse.sign(STATEMENT.data, [LOG.signer]).data
    document = json.loads(good)
    for wrong in (
        b"", b"{}", b"[]", b"null", good + b"\n", b" " + good, json.dumps(document).encode(),
        good.replace(b'"payload"', b'"payload":"","payload"', 1),
        good.replace(b"==", b"", 1),
        json.dumps({**document, "extra": 1}, sort_keys=True, separators=(",", ":")).encode(),
        json.dumps({**document, "signatures": []}, separators=(",", ":")).encode(),
        json.dumps(
            {**document, "signatures": document["signatures"] * 2}, separators=(",", ":")
        ).encode(),
        good.replace(b"application", b"\\ud800pplication"),
        b"[" * 100_000,
        b'{"payload":' + b"9" * 5000 + b"}",
    ):  # fmt: skip
        with pytest.raises(InputError):
            dsse.parse_envelope(wrong)
        assert refused(wrong)


def test_a_statement_has_one_spelling() -> None:
    good = json.loads(STATEMENT.data)
    predicate = good["predicate"]
    wrong: list[Any] = [
        {}, [], {**good, "more": 1}, {**good, "_type": "x"}, {**good, "predicateType": "x"},
        {**good, "subject": []}, {**good, "subject": [{}]}, {**good, "predicate": {}},
        {**good, "predicate": {**predicate, "run": 1}},
        {**good, "predicate": {**predicate, "bundle": "AB" * 32}},
        {**good, "predicate": {**predicate, "label": []}},
        {**good, "predicate": {**predicate, "label": {"a": 1}}},
        {**good, "predicate": {**predicate, "label": {"\ud800": "x"}}},
        {**good, "predicate": {**predicate, "log": {**predicate["log"], "index": True}}},
        {**good, "predicate": {**predicate, "log": {**predicate["log"], "index": 1.0}}},
    ]  # fmt: skip
    for document in wrong:
        text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        with pytest.raises(InputError):
            dsse.parse_statement(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError):
        dsse.parse_statement(STATEMENT.data + b" ")
