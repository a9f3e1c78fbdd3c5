"""A witness cosigns what continues the last thing it saw, and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.ledger.open_log import LABEL, NEVER, ORIGIN, a_ledger, a_run, a_signer
from tests.ledger.signer_world import PlainTree

from firmground.adapters.sqlite import SqliteStore
from firmground.errors import InputError, LedgerUnavailable
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.bundle import verify_bundle
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.keys import KeyKind, VerifierKey, generate
from firmground.ledger.ledger import Ledger
from firmground.ledger.note import Signature
from firmground.ledger.receipt import RecordPersistence
from firmground.ledger.signing import CheckpointSigner
from firmground.ledger.witness import (
    BAD_REQUEST,
    CONFLICT,
    FORBIDDEN,
    NOT_FOUND,
    OK,
    UNPROCESSABLE,
    ConsistencyProver,
    OfflineCosigner,
    Witness,
    WitnessReply,
    ask,
    parse_lines,
    write_request,
)
from firmground.ledger.witness_http import RemoteCosigner, WitnessServer

LOG_KEY = generate(ORIGIN)


def a_witness(folder: Path, *, log: VerifierKey | None = None) -> Witness:
    key = generate("witness.example/w1", kind=KeyKind.COSIGNATURE)
    logs = [LOG_KEY.verifier if log is None else log]
    return Witness(key=key, folder=folder / "witness", logs=logs)


def signed(leaves: list[bytes]) -> str:
    size, root = PlainTree(leaves).tree_head()
    return checkpoints.sign(Checkpoint(origin=ORIGIN, size=size, root=root), [LOG_KEY])


def request(old: int, leaves: list[bytes], *, proof_of: list[bytes] | None = None) -> bytes:
    tree = PlainTree(leaves if proof_of is None else proof_of)
    path = tree.consistency(old, len(leaves)) if old <= len(leaves) else ()
    return write_request(old=old, path=path, note=signed(leaves)).encode("utf-8")


def leaves(count: int, word: str = "entry") -> list[bytes]:
    return [f"{word} {number}".encode() for number in range(count)]


def test_a_log_that_only_grows_is_cosigned_all_the_way(tmp_path: Path) -> None:
    witness = a_witness(tmp_path)
    before = 0
    for size in (1, 2, 3, 7, 7, 20):
        reply = witness.answer(request(before, leaves(size)))
        assert reply.status == OK, reply.body
        note = signed(leaves(size))
        both = checkpoints.with_signatures(note, parse_lines(reply.body, note))
        report = checkpoints.verify(
            both, keys=[LOG_KEY.verifier], witnesses=[witness.verifier], quorum=1
        )
        assert report.valid
        before = size


def test_a_second_history_is_refused(tmp_path: Path) -> None:
    witness = a_witness(tmp_path)
    assert witness.answer(request(0, leaves(5))).status == OK
    assert witness.answer(request(5, leaves(9, "other"))).status == UNPROCESSABLE
    assert (
        witness.answer(request(5, leaves(9, "other"), proof_of=leaves(9))).status == UNPROCESSABLE
    )
    assert witness.answer(request(5, leaves(5, "other"))).status == CONFLICT
    assert witness.last(ORIGIN).root == PlainTree(leaves(5)).tree_head()[1]


def test_going_back_is_a_conflict_that_says_what_was_seen(tmp_path: Path) -> None:
    witness = a_witness(tmp_path)
    witness.answer(request(0, leaves(5)))
    for reply in (
        witness.answer(request(0, leaves(9))),
        witness.answer(request(3, leaves(9))),
        witness.answer(request(6, leaves(9))),
        witness.answer(request(3, leaves(4))),
    ):
        assert (reply.status, reply.body) == (CONFLICT, "5\n")


def test_only_known_logs_with_good_signatures_are_heard(tmp_path: Path) -> None:
    witness = a_witness(tmp_path)
    stranger = generate(ORIGIN)
    size, root = PlainTree(leaves(2)).tree_head()
    forged = checkpoints.sign(Checkpoint(origin=ORIGIN, size=size, root=root), [stranger])
    reply = witness.answer(write_request(old=0, path=(), note=forged).encode())
    assert reply.status == FORBIDDEN
    elsewhere = generate("elsewhere.example/log")
    other = checkpoints.sign(
        Checkpoint(origin="elsewhere.example/log", size=size, root=root), [elsewhere]
    )
    assert witness.answer(write_request(old=0, path=(), note=other).encode()).status == NOT_FOUND


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\xff",
        b"old 0",
        b"old 0\n\n",
        b"old -1\n\nx",
        b"new 0\n\nx",
        b"old 0\nabc\n\nx",
        b"x" * 70_000,
    ],
)
def test_a_request_that_cannot_be_read_is_answered_not_raised(
    damage: bytes, tmp_path: Path
) -> None:
    assert a_witness(tmp_path).answer(damage).status == BAD_REQUEST


def test_the_last_checkpoint_survives_a_restart(tmp_path: Path) -> None:
    first = a_witness(tmp_path)
    first.answer(request(0, leaves(5)))
    second = a_witness(tmp_path)
    assert second.last(ORIGIN).size == 5
    assert second.answer(request(0, leaves(5, "other"))).status == CONFLICT


def test_an_ordinary_key_is_no_witness_key(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a witness key"):
        Witness(key=generate("w"), folder=tmp_path, logs=[LOG_KEY.verifier])


@pytest.fixture(params=["tcp", "unix"])
def served(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[WitnessServer, Witness]]:
    witness = a_witness(tmp_path, log=a_signer(tmp_path).verifier)
    address = "127.0.0.1:0" if request.param == "tcp" else f"unix:{tmp_path}/w.sock"
    server = WitnessServer(address, witness)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server, witness
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_witness_over_a_socket_cosigns_and_the_export_shows_it(
    served: tuple[WitnessServer, Witness], tmp_path: Path
) -> None:
    server, witness = served
    signer = a_signer(tmp_path)
    cosigner = RemoteCosigner(server.address, witness.verifier)
    store = SqliteStore.open(tmp_path / "log.sqlite")
    with Ledger(store, signer=signer, policy=NEVER, cosigners=[cosigner]) as ledger:
        for _ in range(3):
            receipt = ledger.record(a_run(), label=LABEL)
            ledger.checkpoint()
            assert ledger.notary.witness_trouble is None
        assert ledger.receipt(receipt.run_id).kept is RecordPersistence.WITNESSED
        bundle = ledger.export(receipt.run_id)
    report = verify_bundle(
        bundle.data, keys=[signer.verifier], witnesses=[witness.verifier], quorum=1
    )
    assert report.valid, report.reasons


def test_a_witness_listens_on_this_machine_only(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="loopback"):
        WitnessServer("0.0.0.0:0", a_witness(tmp_path))


def test_a_silent_witness_is_noted_and_holds_nothing_up(tmp_path: Path) -> None:
    key = generate("w", kind=KeyKind.COSIGNATURE).verifier
    nobody = RemoteCosigner(f"unix:{tmp_path}/nobody.sock", key)
    store = SqliteStore.open(tmp_path / "log.sqlite")
    with Ledger(store, signer=a_signer(tmp_path), policy=NEVER, cosigners=[nobody]) as ledger:
        receipt = ledger.record(a_run(), label=LABEL)
        ledger.checkpoint()
        assert isinstance(ledger.notary.witness_trouble, LedgerUnavailable)
        assert ledger.receipt(receipt.run_id).kept is RecordPersistence.CHECKPOINTED


def test_a_witness_catches_a_restore_that_took_the_signer_state_along(tmp_path: Path) -> None:
    """The one thing a signer cannot see by itself."""
    signer, path = a_signer(tmp_path), tmp_path / "log.sqlite"
    witness = a_witness(tmp_path, log=signer.verifier)

    def opened() -> Ledger:
        fresh = CheckpointSigner.open(tmp_path / "log.key")
        return Ledger(
            SqliteStore.open(path), signer=fresh, policy=NEVER, cosigners=[OfflineCosigner(witness)]
        )

    with opened() as ledger:
        ledger.record(a_run("first"), label=LABEL)
    backup = path.read_bytes(), signer.state_path.read_bytes()
    with opened() as ledger:
        ledger.record(a_run("second"), label=LABEL)
    path.write_bytes(backup[0])
    signer.state_path.write_bytes(backup[1])
    with opened() as ledger:
        for _ in range(3):
            ledger.record(a_run("another second"), label=LABEL)
        ledger.checkpoint()
        assert "does not continue" in str(ledger.notary.witness_trouble)


def test_a_cosignature_by_nobody_we_know_is_refused(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    with a_ledger(tmp_path, signer=signer) as ledger:
        ledger.record(a_run(), label=LABEL)
        note = ledger.checkpoint()
        witness = a_witness(tmp_path, log=signer.verifier)
        (line,) = OfflineCosigner(witness).cosign(ledger, note)
        with pytest.raises(InputError, match="cosignature is refused"):
            ledger.add_cosignature(line)


class Answering:
    """A witness that answers whatever it is told to."""

    def __init__(self, answer: Callable[[str], tuple[Signature, ...]]) -> None:
        self.signer = generate("witness.example/w1", kind=KeyKind.COSIGNATURE)
        self.answer = answer

    @property
    def key(self) -> VerifierKey:
        return self.signer.verifier

    def cosign(self, log: ConsistencyProver, note: str) -> tuple[Signature, ...]:
        return self.answer(note)


def _two_lines(note: str) -> tuple[Signature, ...]:
    line = checkpoints.cosign(note, generate("w", kind=KeyKind.COSIGNATURE), time=1).line
    reply = WitnessReply(status=OK, body=f"{line}\n{line.replace(' w ', ' v ')}\n")
    return ask(lambda _: reply, PlainTree([]), note)


def _broken(note: str) -> tuple[Signature, ...]:
    raise ZeroDivisionError(note)


@pytest.mark.parametrize("answer", [_two_lines, _broken])
def test_a_witness_that_answers_nonsense_holds_nothing_up(
    answer: Callable[[str], tuple[Signature, ...]], tmp_path: Path
) -> None:
    store = SqliteStore.open(tmp_path / "log.sqlite")
    odd = Answering(answer)
    with Ledger(store, signer=a_signer(tmp_path), policy=NEVER, cosigners=[odd]) as ledger:
        receipt = ledger.record(a_run(), label=LABEL)
        ledger.checkpoint()
        assert ledger.notary.witness_trouble is not None
        assert ledger.receipt(receipt.run_id).kept is RecordPersistence.CHECKPOINTED


def test_no_line_is_kept_beside_a_good_one_unless_it_is_good_itself(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    witness = a_witness(tmp_path, log=signer.verifier)
    store = SqliteStore.open(tmp_path / "log.sqlite")
    with Ledger(store, signer=signer, policy=NEVER, witnesses=[witness.verifier]) as ledger:
        ledger.record(a_run(), label=LABEL)
        note = ledger.checkpoint()
        kept = ledger.add_cosignature(*OfflineCosigner(witness).cosign(ledger, note))
        stranger = generate("stranger.example", kind=KeyKind.COSIGNATURE)
        with pytest.raises(InputError, match=r"stranger\.example is not a witness"):
            ledger.add_cosignature(checkpoints.cosign(note, stranger, time=1))
        with pytest.raises(InputError, match="not a witness"):
            ledger.add_cosignature(Signature(name=ORIGIN, key_id=b"junk", blob=b"j" * 64))
        newest = ledger.newest_checkpoint()
        assert newest is not None
        assert newest.note.decode("utf-8") == kept


def test_a_witness_takes_away_a_socket_and_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / "w.sock"
    for _ in range(2):
        WitnessServer(f"unix:{place}", a_witness(tmp_path)).server_close()
    precious, link = tmp_path / "precious", tmp_path / "link"
    precious.write_text("kept", encoding="utf-8")
    link.symlink_to(place)
    for wrong in (precious, link, tmp_path):
        with pytest.raises(InputError, match="is not a socket"):
            WitnessServer(f"unix:{wrong}", a_witness(tmp_path))
    assert precious.read_text(encoding="utf-8") == "kept"
    assert link.is_symlink()
