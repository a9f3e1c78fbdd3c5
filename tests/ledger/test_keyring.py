"""Who spoke for the log, and when: ten rotations, one revocation, every era checkable."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.ledger.paper_log import ORIGIN, TIME, PaperLog, a_run, key

from firmground.core import merkle
from firmground.errors import InputError
from firmground.ledger import checkpoint
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.entry import KeyAction, KeyEntry, entry_hash, parse_entry
from firmground.ledger.keyring import KeyAuthority, Keyring, check_statement, key_entry, keyring
from firmground.ledger.keys import Ed25519Signer, KeyKind

KEYS = [key(ORIGIN, seed=f"era{i}") for i in range(11)]
BEGIN, ROTATE, REVOKE = KeyAction.BEGIN, KeyAction.ROTATE, KeyAction.REVOKE


def act(action: KeyAction, about: Ed25519Signer, *signers: Ed25519Signer) -> KeyEntry:
    return key_entry(
        origin=ORIGIN, action=action, key=about.verifier, made=TIME, signers=list(signers)
    )


def a_rotated_log() -> tuple[PaperLog, list[tuple[int, str, Ed25519Signer]]]:
    """Eleven eras of three entries, each with a checkpoint by the key of its era."""
    log = PaperLog(KEYS[0])
    log.append(act(BEGIN, KEYS[0], KEYS[0]))
    heads = []
    for number, signer in enumerate(KEYS):
        if number:
            log.append(act(ROTATE, signer, KEYS[number - 1], signer))
            log.signer = signer
        log.record(a_run(words=str(number)))
        log.record(a_run(words=str(-number)))
        heads.append((len(log.entries), log.checkpoint(), signer))
    return log, heads


LOG, HEADS = a_rotated_log()
RING = keyring(ORIGIN, map(parse_entry, LOG.entries))


def test_after_ten_rotations_every_era_verifies_with_its_own_key_and_no_other() -> None:
    for size, text, signer in HEADS:
        for other in KEYS:
            held = RING.office(other.verifier, size=size) is KeyAuthority.HELD
            signed = checkpoint.verify(text, keys=[other.verifier]).valid
            assert held == signed == (other == signer)


def test_all_eras_are_one_log() -> None:
    last, newest, _ = HEADS[-1]
    new, _ = checkpoint.parse(newest)
    for size, text, _ in HEADS:
        old, _ = checkpoint.parse(text)
        path = merkle.consistency_path(size, last, LOG.get)
        assert merkle.verify_consistency(
            old=size, new=last, old_root=old.root, new_root=new.root, path=path
        )


def test_old_and_new_key_may_both_sign_while_they_change() -> None:
    size = HEADS[3][0] + 1
    assert RING.office(KEYS[3].verifier, size=size) is KeyAuthority.HELD
    assert RING.office(KEYS[4].verifier, size=size) is KeyAuthority.HELD
    assert RING.office(KEYS[3].verifier, size=size + 1) is KeyAuthority.ENDED
    assert RING.office(KEYS[4].verifier, size=size - 1) is KeyAuthority.NOT_YET
    leaves = [entry_hash(data) for data in LOG.entries[:size]]
    head = Checkpoint(origin=ORIGIN, size=size, root=merkle.root(leaves))
    text = checkpoint.sign(head, [KEYS[3], KEYS[4]])
    report = checkpoint.verify(text, keys=[KEYS[3].verifier, KEYS[4].verifier])
    assert len(report.signed_by) == 2


def test_a_revoked_key_is_worth_nothing_from_the_revocation_on() -> None:
    log, _ = a_rotated_log()
    seq = log.append(act(REVOKE, KEYS[5], KEYS[10]))
    ring = keyring(ORIGIN, map(parse_entry, log.entries))
    for size in range(seq + 1, seq + 5):
        assert ring.office(KEYS[5].verifier, size=size) is KeyAuthority.REVOKED
    assert ring.office(KEYS[5].verifier, size=HEADS[5][0]) is KeyAuthority.HELD
    assert ring.office(KEYS[4].verifier, size=seq + 1) is KeyAuthority.ENDED
    assert ring.current() == KEYS[10].verifier
    for number, (size, _, signer) in enumerate(HEADS):
        if number != 5:
            assert ring.office(signer.verifier, size=size) is KeyAuthority.HELD


def test_a_key_that_never_held_office_is_unknown() -> None:
    stranger = key(ORIGIN, seed="stranger")
    assert RING.office(stranger.verifier, size=3) is KeyAuthority.UNKNOWN


def after(*entries: KeyEntry) -> Keyring:
    log = PaperLog(KEYS[0])
    for body in entries:
        log.append(body)
    return keyring(ORIGIN, map(parse_entry, log.entries))


FIRST = act(BEGIN, KEYS[0], KEYS[0])
SECOND = act(ROTATE, KEYS[1], KEYS[0], KEYS[1])
BACK = act(ROTATE, KEYS[0], KEYS[1], KEYS[0])


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ((SECOND,), "does not hold office"),
        ((FIRST, FIRST), "has a key already"),
        ((FIRST, SECOND, SECOND), "does not hold office"),
        ((FIRST, SECOND, BACK), "has held office before"),
        ((FIRST, SECOND, act(REVOKE, KEYS[1], KEYS[0])), "only the key in office"),
        ((FIRST, act(REVOKE, KEYS[0], KEYS[0])), "only the key in office"),
        ((FIRST, act(REVOKE, KEYS[1], KEYS[0])), "not a key of this log"),
        ((FIRST, SECOND, *[act(REVOKE, KEYS[0], KEYS[1])] * 2), "revoked already"),
    ],
)
def test_key_entries_that_break_the_succession_are_refused(
    entries: tuple[KeyEntry, ...], reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        after(*entries)


def test_a_rotation_needs_the_old_and_the_new_key() -> None:
    for signers in ([KEYS[0]], [KEYS[1], KEYS[0]], [KEYS[0], KEYS[0]], [KEYS[0], KEYS[2]], []):
        with pytest.raises(InputError):
            act(ROTATE, KEYS[1], *signers)
    with pytest.raises(InputError, match="own signature"):
        act(BEGIN, KEYS[1], KEYS[0])


def test_any_change_to_a_key_entry_breaks_its_signatures() -> None:
    check_statement(SECOND, origin=ORIGIN)
    later = TIME.replace("2026", "2027")
    for changed in (
        replace(SECOND, made=later),
        replace(SECOND, action=REVOKE, sigs=SECOND.sigs[:1]),
        replace(SECOND, key=str(KEYS[2].verifier)),
        replace(SECOND, by=str(KEYS[2].verifier)),
        replace(SECOND, sigs=SECOND.sigs[::-1]),
        replace(SECOND, sigs=(*SECOND.sigs, SECOND.sigs[0])),
        replace(SECOND, sigs=(SECOND.sigs[0], bytes(64))),
    ):
        with pytest.raises(InputError):
            check_statement(changed, origin=ORIGIN)


def test_a_key_entry_of_another_log_is_refused() -> None:
    with pytest.raises(InputError, match="not a key of the log"):
        check_statement(FIRST, origin="other.example/log")
    witness = key(ORIGIN, kind=KeyKind.COSIGNATURE)
    with pytest.raises(InputError, match="not a key of the log"):
        act(BEGIN, witness, witness)


def test_a_log_without_a_key_has_nobody_to_speak_for_it() -> None:
    with pytest.raises(InputError, match="no key speaks"):
        keyring(ORIGIN, []).current()
