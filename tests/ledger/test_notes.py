"""Keys, notes and checkpoints: the published ones verify, anything touched does not."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ledger.paper_log import ORIGIN, a_log, key, witness

from firmground.core.merkle import EMPTY_ROOT
from firmground.core.ports import Signer
from firmground.errors import InputError
from firmground.ledger import checkpoint, note
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.keys import (
    Ed25519Signer,
    KeyKind,
    VerifierKey,
    generate,
    parse_signer,
    parse_verifier,
)
from firmground.ledger.note import Note, Signature

# Published by the Go checksum database's note package and by C2SP.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER_SECRET = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
ENOCH = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
TEXT = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
PETER_LINE = (
    "\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngot"
    "pRZb6KE6RyyBwJnAM=\n"
)
ENOCH_LINE = (
    "\u2014 EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWL"
    "ox33WWd1RvMc+QQ=\n"
)
FOO = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
FOO_NOTE = (
    "This is an example message.\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi"
    "2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
WITNESS = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"
NOTE = TEXT + "\n" + PETER_LINE + ENOCH_LINE
KEYS = [parse_verifier(PETER), parse_verifier(ENOCH)]


# -- keys ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [PETER, ENOCH, FOO, WITNESS])
def test_published_verifier_keys_are_read_and_written_unchanged(text: str) -> None:
    assert str(parse_verifier(text)) == text


def test_the_published_signing_key_belongs_to_its_verifier_key() -> None:
    signer = parse_signer(PETER_SECRET)
    assert str(signer.verifier) == PETER
    assert signer.private_text() == PETER_SECRET
    assert isinstance(signer, Signer)
    zero = Ed25519Signer(name="EnochRoot", seed=bytes(32))
    assert str(zero.verifier) == ENOCH


def test_the_key_id_is_the_documented_hash() -> None:
    made = parse_verifier(WITNESS)
    data = b"remora.n621.de\n\x04" + made.public
    assert made.kind is KeyKind.COSIGNATURE
    assert made.key_id == hashlib.sha256(data).digest()[:4]


def test_a_new_key_is_new_signs_and_hides_its_seed() -> None:
    one, two = generate(ORIGIN), generate(ORIGIN)
    assert one.seed != two.seed
    assert parse_signer(one.private_text()) == one
    assert one.verifier.verify(b"x", one.sign(b"x"))
    assert not two.verifier.verify(b"x", one.sign(b"x"))
    assert not one.verifier.verify(b"y", one.sign(b"x"))
    assert not one.verifier.verify(b"x", one.sign(b"x")[:-1])
    assert one.seed.hex() not in repr(one)
    assert repr(one.seed) not in repr(one)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a b",
        "a+b",
        "a\nb",
        "a\u00a0b",
        "a\u3000b",
        "a\tb",
        "a\x7fb",
        "\ud800",
        "x" * 256,
        "\u0085",
    ],
)
def test_names_that_would_break_a_line_are_refused(name: str) -> None:
    with pytest.raises(InputError):
        VerifierKey(name=name, public=bytes(32))
    with pytest.raises(InputError):
        Ed25519Signer(name=name, seed=bytes(32))


P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def multiples_of_eight(y: int) -> tuple[int, int] | None:
    """Eight times the point of the curve with this y, by the textbook; None if there is none."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P:
        return None
    for _ in range(3):
        product = D * x * x * y * y % P
        x, y = (
            2 * x * y * pow(1 + product, -1, P) % P,
            (y * y + x * x) * pow(1 - product, -1, P) % P,
        )
    return x, y


WEAK = [
    "00" * 32, "01" + "00" * 31, "01" + "00" * 30 + "80", "ec" + "ff" * 30 + "7f",
    "ed" + "ff" * 30 + "7f", "ee" + "ff" * 30 + "ff",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]  # fmt: skip


@pytest.mark.parametrize("text", WEAK)
def test_a_key_that_anybody_can_sign_for_is_not_a_key(text: str) -> None:
    public = bytes.fromhex(text)
    y = int.from_bytes(public, "little") & ((1 << 255) - 1)
    assert multiples_of_eight(y % P) == (0, 1), "of small order"
    with pytest.raises(InputError, match="anyone can sign"):
        VerifierKey(name="w", public=public)
    vkey = hashlib.sha256(b"w\n\x01" + public).digest()[:4].hex()
    with pytest.raises(InputError, match="anyone can sign"):
        parse_verifier(f"w+{vkey}+{base64.b64encode(bytes([1]) + public).decode()}")


def test_new_keys_have_plain_names_so_that_no_two_look_alike() -> None:
    with pytest.raises(InputError, match="ASCII"):
        generate("ex\u0430mple.com/log")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PeterNeumann",
        "PeterNeumann+c74f20a3",
        PETER + "=",
        PETER.replace("c74f20a3", "c74f20a4"),
        PETER.replace("c74f", "C74F"),
        PETER.replace("Peter", "peter"),
        " " + PETER,
        PETER + "\n",
        PETER.replace("+ARpc", "+BRpc"),
        PETER.replace("+ARpc", "+AhpC"),
        PETER[:-4],
        "a+b+" + PETER,
        PETER.replace("TW", "TX"),
    ],
)
def test_a_verifier_key_has_one_spelling(text: str) -> None:
    with pytest.raises(InputError):
        parse_verifier(text)


@pytest.mark.parametrize(
    "text", [PETER, PETER_SECRET[:-1], PETER_SECRET.replace("c74f20a3", "c74f20a4"), "PRIVATE+KEY+"]
)
def test_a_wrong_signing_key_is_refused_without_repeating_the_secret(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_signer(text)
    assert "AYEKFALVFGyNhPJEMzD1" not in str(caught.value)


def test_the_formats_load_without_cryptography() -> None:
    code = (
        "import sys\n"
        "from firmground.ledger import bundle, checkpoint, dsse, entry, fg0, keyring, keys, proof\n"
        "keys.parse_verifier(sys.argv[1])\n"
        "assert 'cryptography' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, PETER], check=True)


# -- notes --------------------------------------------------------------------------------------


def test_published_notes_verify() -> None:
    read = note.parse(NOTE)
    assert read.text == NOTE
    assert note.check(read, KEYS).signed_by == tuple(KEYS)
    assert note.check(note.parse(FOO_NOTE.encode()), [parse_verifier(FOO)]).valid


def test_signing_gives_the_published_bytes() -> None:
    assert note.sign(TEXT, [parse_signer(PETER_SECRET)]).text == TEXT + "\n" + PETER_LINE


def test_lines_by_unknown_keys_count_for_nothing() -> None:
    one = note.check(note.parse(NOTE), KEYS[:1])
    assert one.valid
    assert [line.name for line in one.unknown] == ["EnochRoot"]
    nobody = note.check(note.parse(NOTE), [])
    assert not nobody
    assert nobody.problem == "no known key has signed"


def test_the_same_name_under_another_key_is_unknown() -> None:
    other = key("PeterNeumann").verifier
    assert not note.check(note.parse(TEXT + "\n" + PETER_LINE), [other])


def test_one_wrong_line_of_a_known_key_spoils_the_note() -> None:
    blob = base64.b64decode(ENOCH_LINE.split()[2])
    bad = Signature(name="EnochRoot", key_id=blob[:4], blob=blob[4:-1] + b"\0")
    read = Note(body=TEXT, signatures=(note.parse(NOTE).signatures[0], bad))
    assert "EnochRoot is not valid" in note.check(note.parse(read.text), KEYS).problem


def test_sixteen_and_more_signatures_are_read() -> None:
    signers = [key(f"k{i}.example") for i in range(20)]
    made = note.sign("text\n", signers)
    assert len(note.check(made, [s.verifier for s in signers]).signed_by) == 20
    many = Note(body="text\n", signatures=made.signatures * 4)
    with pytest.raises(InputError, match="at most 64"):
        note.parse(many.text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\n\n",
        TEXT,
        TEXT + "\n",
        PETER_LINE,
        "\n\n" + PETER_LINE,
        NOTE[:-1],
        NOTE + "\n",
        NOTE + " ",
        NOTE + "junk\n",
        NOTE + "\u2014 x\n",
        NOTE + PETER_LINE,
        NOTE.replace("\u2014", "-"),
        NOTE.replace("\u2014", "\u2013"),
        NOTE.replace("\u2014 ", "\u2014\u00a0"),
        NOTE.replace("\u2014 ", "\u2014  "),
        NOTE.replace("\n", "\r\n"),
        NOTE.replace("problem", "a\tb"),
        NOTE.replace("JnAM=", "JnAN="),
        NOTE.replace("JnAM=", "JnAM"),
        NOTE.replace("JnAM=", "JnAM=="),
        NOTE.replace("x08go/", "x08go_"),
        NOTE.replace(" x08", " x08 "),
        NOTE.replace("x08go", "x08g"),
        NOTE.replace("PeterNeumann x", "Peter+Neumann x"),
        NOTE.replace("PeterNeumann x", " x"),
        TEXT + "\n\u2014 Peter AAAA\n",
        TEXT + "\n\u2014 Peter AAAAAA==\n",
        "\ud800" + NOTE,
        TEXT + "\n" + ENOCH_LINE + "\n",
    ],
)
def test_a_note_has_one_spelling(text: str) -> None:
    with pytest.raises(InputError):
        note.parse(text)


def test_bytes_that_are_not_utf8_and_notes_without_end_are_refused() -> None:
    with pytest.raises(InputError, match="UTF-8"):
        note.parse(b"\xff" + NOTE.encode())
    with pytest.raises(InputError, match="at most"):
        note.parse("x" * (1 << 20) + NOTE)


def test_a_body_without_its_newline_cannot_be_signed() -> None:
    with pytest.raises(InputError):
        note.sign("no newline", [key("k")])
    with pytest.raises(InputError):
        note.sign("", [key("k")])


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40), st.data())
def test_any_text_comes_back_and_any_other_text_does_not_verify(
    line: str, data: st.DataObject
) -> None:
    signer = key("k.example")
    made = note.sign(line + "\n", [signer])
    assert note.parse(made.text) == made
    assert note.check(made, [signer.verifier])
    other = data.draw(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
    if other != line:
        moved = Note(body=other + "\n", signatures=made.signatures)
        assert not note.check(moved, [signer.verifier])


# -- checkpoints --------------------------------------------------------------------------------


LOG = a_log(5)
W1, W2 = witness("w1.example/a"), witness("w2.example/b")
KEY = LOG.signer.verifier


def test_a_checkpoint_is_three_lines() -> None:
    root = LOG.frontier.root()
    text = LOG.checkpoint()
    assert text.startswith(f"{ORIGIN}\n5\n{base64.b64encode(root).decode()}\n\n\u2014 {ORIGIN} ")
    read, _ = checkpoint.parse(text)
    assert read == Checkpoint(origin=ORIGIN, size=5, root=root)
    assert checkpoint.verify(text, keys=[KEY])


def test_a_cosignature_is_the_documented_message_with_its_time_in_front() -> None:
    text = LOG.checkpoint()
    line = checkpoint.cosign(text, W1, time=1_727_964_367)
    body, _ = checkpoint.parse(text)
    message = f"cosignature/v1\ntime 1727964367\n{body.body}".encode()
    assert line.blob[:8] == (1_727_964_367).to_bytes(8, "big")
    assert W1.verifier.verify(message, line.blob[8:])
    assert line.key_id == W1.verifier.key_id
    published = base64.b64decode(
        "ZGhGuQAAAABm/qTPeyKXD+R2rzyQsxPiP8mXum7qq/iF0u4vanlqJyocWODBt97w9uL+8qT7S5gxEHWWOworDcFi"
        "EBYJXORmnFBOBA=="
    )
    assert int.from_bytes(published[4:12], "big") == 1_727_964_367
    assert len(published) == len(line.key_id + line.blob)


def test_witnesses_are_counted_and_their_times_kept() -> None:
    text = LOG.checkpoint(W1, W2, time=12)
    report = checkpoint.verify(text, keys=[KEY], witnesses=[W1.verifier, W2.verifier], quorum=2)
    assert report.valid
    assert [(c.witness, c.time) for c in report.cosigned] == [(W1.verifier, 12), (W2.verifier, 12)]
    assert not checkpoint.verify(LOG.checkpoint(W1), keys=[KEY], witnesses=[W1.verifier], quorum=2)


def test_a_changed_time_spoils_the_cosignature() -> None:
    text = LOG.checkpoint()
    line = checkpoint.cosign(text, W1, time=5)
    moved = Signature(name=line.name, key_id=line.key_id, blob=bytes(8) + line.blob[8:])
    forged = checkpoint.with_signatures(text, [moved])
    assert "not valid" in checkpoint.verify(forged, keys=[KEY], witnesses=[W1.verifier]).reasons[0]
    far = Signature(name=line.name, key_id=line.key_id, blob=b"\xff" * 8 + line.blob[8:])
    forged = checkpoint.with_signatures(text, [far])
    assert not checkpoint.verify(forged, keys=[KEY], witnesses=[W1.verifier])


def test_a_witness_alone_does_not_speak_for_the_log() -> None:
    text = LOG.checkpoint(W1)
    _, signed = checkpoint.parse(text)
    alone = Note(body=signed.body, signatures=signed.signatures[1:]).text
    assert not checkpoint.verify(alone, keys=[KEY], witnesses=[W1.verifier])


def test_a_key_does_not_speak_for_a_log_of_another_name() -> None:
    stranger = key("other.example/log")
    head, _ = checkpoint.parse(LOG.checkpoint())
    with pytest.raises(InputError, match="may not sign"):
        checkpoint.sign(head, [stranger])
    with pytest.raises(InputError, match="may not sign"):
        checkpoint.sign(head, [witness(ORIGIN)])
    forged = note.sign(head.body, [stranger]).text
    assert not checkpoint.verify(forged, keys=[stranger.verifier])


def test_a_plain_signature_has_no_time_and_a_cosignature_has_one() -> None:
    with pytest.raises(InputError, match="time"):
        note.signature("x\n", W1)
    with pytest.raises(InputError, match="time"):
        note.signature("x\n", key("k"), time=1)
    with pytest.raises(InputError, match="time"):
        note.signature("x\n", W1, time=1 << 63)


@pytest.mark.parametrize(
    "body",
    [
        "o\n5\n",
        "o\n05\n{}\n",
        "o\n+5\n{}\n",
        "o\n5 \n{}\n",
        "o\n-1\n{}\n",
        "o\n\u0665\n{}\n",
        "\n5\n{}\n",
        "o o\n5\n{}\n",
        "o\n5\n{}\nextension",
        "o\n5\n{}\n\nextension\n",
        "o\n5\n{}",
        "o\n5\nAAAA\n",
        "o\n9223372036854775808\n{}\n",
        "o\n99999999999999999999\n{}\n",
        "o\n0\n{}\n",
        "o\n\n{}\n",
    ],
)
def test_a_checkpoint_has_one_spelling(body: str) -> None:
    with pytest.raises(InputError):
        checkpoint.parse_body(body.format(base64.b64encode(bytes(32)).decode()))


def test_the_empty_log_has_the_root_of_nothing_and_no_other_log_has() -> None:
    empty = Checkpoint(origin="o", size=0, root=EMPTY_ROOT)
    assert checkpoint.parse_body(empty.body) == empty
    with pytest.raises(InputError):
        Checkpoint(origin="o", size=1, root=EMPTY_ROOT)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=100) | st.binary(max_size=100))
def test_no_text_makes_the_check_of_a_checkpoint_raise(text: str | bytes) -> None:
    assert not checkpoint.verify(text, keys=[KEY])
