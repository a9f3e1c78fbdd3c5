"""The ledger hook against records of a real log."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.ledger.open_log import LABEL, ORIGIN, a_ledger, a_run, a_signer

from firmground.adapters.hooks.ledger_record import LedgerRecordHook
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.errors import InputError
from firmground.ledger.keys import generate

OTHER = "018f0000-0000-7000-8000-000000000000"


@pytest.fixture
def recorded(tmp_path: Path) -> tuple[Path, str, str]:
    """A folder with one exported run, its id, and the key of its log."""
    signer = a_signer(tmp_path)
    with a_ledger(tmp_path, signer=signer) as ledger:
        receipt = ledger.record(a_run(), label=LABEL)
        ledger.checkpoint()
        folder = tmp_path / "out"
        folder.mkdir()
        bundle = ledger.export(receipt.run_id)
        (folder / f"{receipt.run_id}.bundle.json").write_bytes(bundle.data)
    return folder, receipt.run_id, str(signer.verifier)


def ask(folder: Path, key: str, run: str | None, **fields: Any) -> HookReply | Fault:
    hook = LedgerRecordHook(root=str(folder), keys=(key,), **fields)
    metadata = (("run", run),) if run is not None else ()
    return asyncio.run(hook.ask(HookCase(question=None, answer="x", metadata=metadata)))


def passed(reply: HookReply | Fault) -> bool:
    assert isinstance(reply, HookReply), reply
    return reply.passed


def test_a_record_that_holds_passes(recorded: tuple[Path, str, str]) -> None:
    folder, run, key = recorded
    assert passed(ask(folder, key, run))
    assert passed(ask(folder, key, run, step="proceed"))


def test_a_record_under_another_label_does_not(recorded: tuple[Path, str, str]) -> None:
    folder, run, key = recorded
    assert not passed(ask(folder, key, run, step="abstain"))


def test_a_run_without_a_record_is_a_no(recorded: tuple[Path, str, str]) -> None:
    folder, _, key = recorded
    assert not passed(ask(folder, key, OTHER))


def test_a_record_under_another_run_id_is_a_no(recorded: tuple[Path, str, str]) -> None:
    folder, run, key = recorded
    (folder / f"{run}.bundle.json").rename(folder / f"{OTHER}.bundle.json")
    assert not passed(ask(folder, key, OTHER))


def test_a_record_somebody_touched_is_a_no(recorded: tuple[Path, str, str]) -> None:
    folder, run, key = recorded
    path = folder / f"{run}.bundle.json"
    path.write_bytes(path.read_bytes().replace(b'"', b'"', 1)[:-1] + b" ")
    assert not passed(ask(folder, key, run))


def test_a_record_of_a_log_that_is_not_trusted_is_a_no(recorded: tuple[Path, str, str]) -> None:
    folder, run, _ = recorded
    assert not passed(ask(folder, str(generate(ORIGIN).verifier), run))


@pytest.mark.parametrize("run", ["../../etc/passwd", "x", "", OTHER.upper(), OTHER + "\n"])
def test_what_is_no_run_id_is_a_no_and_opens_nothing(
    recorded: tuple[Path, str, str], run: str
) -> None:
    folder, _, key = recorded
    assert not passed(ask(folder, key, run))


def test_without_a_run_id_nothing_was_checked(recorded: tuple[Path, str, str]) -> None:
    folder, _, key = recorded
    reply = ask(folder, key, None)
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.SKIPPED


@pytest.mark.parametrize(
    "fields", [{"keys": ()}, {"keys": ("nonsense",)}, {"file": "fixed.json"}, {"run": "anser"}]
)
def test_a_wrong_setting_is_an_error(tmp_path: Path, fields: dict[str, Any]) -> None:
    key = str(generate(ORIGIN).verifier)
    with pytest.raises(InputError):
        LedgerRecordHook(**{"root": str(tmp_path), "keys": (key,), **fields})
