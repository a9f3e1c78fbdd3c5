"""The commands say it readably, say it as JSON, and say it in the exit code."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest
from click.testing import CliRunner
from tests.ledger.open_log import LABEL, ORIGIN, a_ledger, a_run, a_signer, behind_its_back

from firmground.adapters.sqlite import SqliteStore
from firmground.cli._ledger import find_run
from firmground.cli.main import cli
from firmground.errors import FirmgroundError, InputError, RecordNotFound
from firmground.ledger.cache import AnswerCache
from firmground.ledger.cache_key import Tenant
from firmground.ledger.ledger import Ledger

TENANT = Tenant(name="acme", key=b"a" * 32)
KEY = bytes(range(32))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        for number in range(3):
            ledger.record(a_run(f"question {number}"), label=LABEL)
        AnswerCache(ledger, TENANT).put(KEY, a_run("cached"), label=LABEL)
    return tmp_path


def call(*args: object, code: int = 0) -> str:
    """Run a command as a person would; errors of ours are exit code 2, as ``main`` makes them."""
    result = CliRunner().invoke(cli, [str(arg) for arg in args])
    if isinstance(result.exception, FirmgroundError):
        assert code == 2, result.exception
        return f"{result.output}{result.exception}"
    assert result.exit_code == code, result.output
    return result.output


def read(*args: object, code: int = 0) -> Any:
    return json.loads(call(*args, "--json", code=code))


def run_ids(log: Path) -> list[str]:
    return [row["run"] for row in read("runs", "list", "--ledger", log / "log.sqlite")]


def test_a_key_is_made_shown_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "log.key"
    made = read("keys", "new", ORIGIN, "--out", path)
    assert made["key"].startswith(ORIGIN)
    shown = read("keys", "show", path)
    assert shown["key"] == made["key"]
    assert (shown["signed_entries"], shown["retired"]) == (0, False)
    assert "PRIVATE" not in call("keys", "show", path)
    assert "not overwritten" in call("keys", "new", ORIGIN, "--out", path, code=2)
    assert "no key file" in call("keys", "show", tmp_path / "none", code=2)


def test_a_run_is_listed_shown_exported_and_verified(log: Path, tmp_path: Path) -> None:
    ledger, signer, out = log / "log.sqlite", log / "log.key", tmp_path / "run.json"
    newest = run_ids(log)[1]
    assert newest in call("runs", "list", "--ledger", ledger)
    shown = read("runs", "show", newest, "--ledger", ledger)
    assert shown["stages"][0]["stage"] == "question"
    assert shown["stages"][0]["payload"] == "question 2/question/0"
    assert "question 2/answer/0" in call("runs", "show", newest, "--ledger", ledger)
    call(
        "runs", "export", newest, "--ledger", ledger, "--signer", signer,
        "--disclose", "answer", "--out", out,
    )  # fmt: skip
    key = read("keys", "show", signer)["key"]
    assert "HOLDS" in call("verify", out, "--key", key)
    out.write_bytes(out.read_bytes().replace(b'"ord":5', b'"ord":6'))
    call("verify", out, "--key", key, code=1)


def test_an_export_goes_to_standard_output_byte_for_byte(log: Path, tmp_path: Path) -> None:
    ledger, signer, run = log / "log.sqlite", log / "log.key", run_ids(log)[0]
    text = call("runs", "export", run, "--ledger", ledger, "--signer", signer, "--disclose-all")
    (tmp_path / "run.json").write_text(text, encoding="utf-8")
    call("verify", tmp_path / "run.json", "--key", read("keys", "show", signer)["key"])


def test_a_run_is_erased_only_when_confirmed(log: Path) -> None:
    ledger, run = log / "log.sqlite", run_ids(log)[0]
    call("runs", "erase", run, "--ledger", ledger, "--reason", "asked", code=2)
    done = read("runs", "erase", run, "--ledger", ledger, "--reason", "asked", "--yes")
    assert (done["payloads"], done["scrubbed"]) == (8, True)
    shown = read("runs", "show", run, "--ledger", ledger)
    assert all(stage["erased"] for stage in shown["stages"])
    assert "erased" in call("runs", "show", run, "--ledger", ledger)
    call("audit", "--ledger", ledger)


def test_an_audit_holds_or_does_not_or_could_not_tell(log: Path, tmp_path: Path) -> None:
    ledger = log / "log.sqlite"
    key = read("keys", "show", log / "log.key")["key"]
    report = read("audit", "--ledger", ledger, "--key", key)
    assert (report["holds"], report["runs"], report["problems"]) == (True, 4, [])
    assert "HOLDS: 5 entries" in call("audit", "--ledger", ledger)
    assert "no such ledger" in call("audit", "--ledger", tmp_path / "none", code=2)
    assert not (tmp_path / "none").exists()
    behind_its_back(ledger, "UPDATE stage SET body = x'00' WHERE id = (2 << 10) + 1")
    broken = read("audit", "--ledger", ledger, code=1)
    assert [(each["part"], each["seq"]) for each in broken["problems"]] == [("stage", 2)]
    assert "DOES NOT HOLD" in call("audit", "--ledger", ledger, code=1)


def test_a_kept_checkpoint_shows_what_was_cut_off(log: Path, tmp_path: Path) -> None:
    ledger, kept = log / "log.sqlite", tmp_path / "kept.txt"
    call("checkpoint", "--ledger", ledger, "--out", kept)
    behind_its_back(
        ledger,
        "DELETE FROM entry WHERE seq > 3", "DELETE FROM stage WHERE id >= 4 << 10",
        "DELETE FROM vault WHERE id >= 4 << 10", "DELETE FROM cache", "DELETE FROM checkpoint",
    )  # fmt: skip
    alone = read("audit", "--ledger", ledger)
    assert "would not be seen" in alone["unseen"][0]
    report = read("audit", "--ledger", ledger, "--kept", kept, code=1)
    assert "entries 4 to 4 are missing" in report["problems"][0]["detail"]


def test_a_checkpoint_is_signed_or_shown(log: Path, tmp_path: Path) -> None:
    ledger = log / "log.sqlite"
    shown = read("checkpoint", "--ledger", ledger)
    assert (shown["origin"], shown["size"]) == (ORIGIN, 5)
    assert call("checkpoint", "--ledger", ledger) == shown["note"]
    run = run_ids(log)[0]
    call("runs", "erase", run, "--ledger", ledger, "--reason", "asked", "--yes")
    signed = read("checkpoint", "--ledger", ledger, "--signer", log / "log.key")
    assert signed["size"] == 6
    with a_ledger(tmp_path, name="new.sqlite"):
        pass
    assert "no checkpoint yet" in call("checkpoint", "--ledger", tmp_path / "new.sqlite", code=2)


def test_keys_are_rotated_listed_and_revoked(log: Path, tmp_path: Path) -> None:
    ledger, old, new = log / "log.sqlite", log / "log.key", tmp_path / "new.key"
    first = read("keys", "show", old)["key"]
    made = read("keys", "rotate", "--ledger", ledger, "--signer", old, "--out", new)
    assert read("keys", "show", old)["retired"] is True
    assert "retired" in call("checkpoint", "--ledger", ledger, "--signer", old, code=2)
    call("keys", "revoke", first, "--ledger", ledger, "--signer", new)
    listed = read("keys", "list", "--ledger", ledger)
    assert [each["key"] for each in listed] == [first, made["key"]]
    assert listed[0]["revoked"] == 6
    assert "revoked at entry 6" in call("keys", "list", "--ledger", ledger)
    assert "signing key" in call("keys", "revoke", first, "--ledger", ledger, code=2)


def test_cached_answers_are_listed_falsified_and_burnt(log: Path) -> None:
    ledger, key = log / "log.sqlite", KEY.hex()
    (row,) = read("cache", "list", "--ledger", ledger)
    assert (row["key"], row["state"], row["tenant"]) == (key, "live", "acme")
    act = ("--ledger", ledger, "--tenant", "acme", "--reason", "wrong", "--actor", "editor")
    assert read("cache", "falsify", key, *act)["state"] == "failed"
    assert "failed" in call("cache", "list", "--ledger", ledger, "--tenant", "acme")
    assert "nothing is cached" in call("cache", "list", "--ledger", ledger, "--tenant", "other")
    other = ("--ledger", ledger, "--tenant", "other", "--reason", "wrong")
    assert "nothing is cached" in call("cache", "burn", key, *other, code=2)
    assert "hexadecimal" in call("cache", "burn", "xyz", *act, code=2)
    assert read("cache", "burn", key, *act)["burned"] is True
    assert read("cache", "list", "--ledger", ledger) == []
    call("audit", "--ledger", ledger)


def test_a_witness_works_by_files_alone(log: Path, tmp_path: Path) -> None:
    ledger, signer, witness = log / "log.sqlite", log / "log.key", tmp_path / "w.key"
    watcher = read("keys", "new", "witness.example/w", "--witness", "--out", witness)["key"]
    assert read("keys", "show", witness)["witness"] is True
    log_key = read("keys", "show", signer)["key"]
    asked, line = tmp_path / "request.txt", tmp_path / "line.txt"
    asked.write_text(call("witness", "request", "--ledger", ledger), encoding="utf-8")
    common = ("--key", witness, "--log", log_key, "--state", tmp_path / "state")
    line.write_text(call("witness", "cosign", asked, *common), encoding="utf-8")
    attach = ("--ledger", ledger, "--signer", signer, "--witness", watcher)
    assert watcher.partition("+")[0] in call("witness", "attach", line, *attach)
    assert ORIGIN in read("checkpoint", "--ledger", ledger)["signatures"]
    assert len(read("checkpoint", "--ledger", ledger)["signatures"]) == 2
    asked.write_text("old 3\n\n" + asked.read_text().partition("\n\n")[2], encoding="utf-8")
    assert read("witness", "cosign", asked, *common, code=1)["cosigned"] is False
    run = run_ids(log)[0]
    out = tmp_path / "run.json"
    call("runs", "export", run, "--ledger", ledger, "--signer", signer, "--out", out)
    call("verify", out, "--key", log_key, "--witness", watcher)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_witness_process_serves_until_it_is_stopped(
    stop: signal.Signals, log: Path, tmp_path: Path
) -> None:
    from firmground.ledger.keys import parse_verifier
    from firmground.ledger.witness_http import RemoteCosigner

    witness = tmp_path / "w.key"
    watcher = read("keys", "new", "witness.example/w", "--witness", "--out", witness)["key"]
    log_key = read("keys", "show", log / "log.key")["key"]
    process = subprocess.Popen(
        [
            sys.executable, "-m", "firmground", "witness", "serve", "--key", witness,
            "--log", log_key, "--state", tmp_path / "state", "--listen", "127.0.0.1:0",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=dict(os.environ),
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == watcher
        address = process.stdout.readline().rpartition(" ")[2].strip()
        cosigner = RemoteCosigner(address, parse_verifier(watcher))
        with a_ledger(log) as ledger:
            newest = ledger.newest_checkpoint()
            assert newest is not None
            (line,) = cosigner.cosign(ledger, newest.note.decode())
        assert line.name == "witness.example/w"
    finally:
        process.send_signal(stop)
        try:
            ended = process.wait(60)
        finally:
            process.kill()
            process.communicate()
        assert ended == 0


def test_the_ledger_may_come_from_the_environment(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRMGROUND_LEDGER", str(log / "log.sqlite"))
    assert len(read("runs", "list", "--limit", 2)) == 2
    monkeypatch.delenv("FIRMGROUND_LEDGER")
    assert "--ledger" in call("runs", "list", code=2)


def test_an_unknown_run_could_not_be_told(log: Path) -> None:
    for command in (("show",), ("export",), ("erase", "--yes", "--reason", "x")):
        assert "no run" in call(
            "runs", command[0], "nobody", *command[1:], "--ledger", log / "log.sqlite", code=2
        )


def test_what_a_payload_says_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        run = ledger.record(a_run("\x1b[2J\u202eevil"), label=LABEL).run_id
    shown = call("runs", "show", run, "--ledger", tmp_path / "log.sqlite")
    assert "\x1b" not in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize(
    "name",
    ["log.sqlite", "log.sqlite-wal", "log.sqlite-shm", "log.key", "log.key.state", "link", "twin"],
)
def test_nothing_is_written_over_the_log_or_its_key(log: Path, name: str) -> None:
    (log / "link").symlink_to(log / "log.sqlite")
    (log / "twin").hardlink_to(log / "log.key")
    held = {path: path.read_bytes() for path in log.glob("log.*")}
    where = ("--ledger", log / "log.sqlite", "--signer", log / "log.key", "--out", log / name)
    for command in (("runs", "export", run_ids(log)[0]), ("checkpoint",)):
        assert "belongs to the log" in call(*command, *where, code=2)
    assert {path: path.read_bytes() for path in log.glob("log.*")} == held


def test_an_export_is_its_owners_alone_to_read(log: Path, tmp_path: Path) -> None:
    ledger, out = log / "log.sqlite", tmp_path / "run.json"
    call("runs", "export", run_ids(log)[0], "--ledger", ledger, "--out", out, "--disclose-all")
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_a_new_log_is_its_owners_alone_to_read(log: Path) -> None:
    before = os.umask(0)
    try:
        with a_ledger(log, name="new.sqlite") as ledger:
            ledger.record(a_run("secret"), label=LABEL)
            modes = {stat.S_IMODE(path.stat().st_mode) for path in log.glob("new.sqlite*")}
            assert len(list(log.glob("new.sqlite*"))) == 3
    finally:
        os.umask(before)
    assert modes == {0o600}


def test_a_folder_is_no_key_file(tmp_path: Path) -> None:
    assert "Is a directory" in call("keys", "show", tmp_path, code=2)


def test_the_list_says_which_runs_were_erased(log: Path) -> None:
    ledger, (whole, part, none, _) = log / "log.sqlite", run_ids(log)
    why = ("--ledger", ledger, "--reason", "asked", "--yes")
    assert "erased 8 payloads of 1 run\n" in call("runs", "erase", whole, *why)
    assert "erased 1 payload of 1 run\n" in call("runs", "erase", part, "--stage", "answer", *why)
    lines = {
        line.split()[1]: line for line in call("runs", "list", "--ledger", ledger).splitlines()
    }
    assert lines[whole].endswith("(erased)")
    assert lines[part].endswith("(1 of 8 payloads erased)")
    assert "erased" not in lines[none]
    listed = {row["run"]: row for row in read("runs", "list", "--ledger", ledger)}
    assert [listed[run]["erased"] for run in (whole, part, none)] == [8, 1, 0]


def test_an_export_says_that_payloads_were_erased(log: Path, tmp_path: Path) -> None:
    ledger, run, out = log / "log.sqlite", run_ids(log)[0], tmp_path / "out.json"
    where = (run, "--ledger", ledger, "--signer", log / "log.key", "--out", out, "--disclose-all")
    assert "erased" not in call("runs", "export", *where)
    call("runs", "erase", run, "--ledger", ledger, "--reason", "asked", "--yes")
    assert "erased: 8 of 8 payloads" in call("runs", "export", *where)
    assert read("runs", "export", *where)["erased"] == list(range(8))


def test_a_run_may_be_named_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    ledger = tmp_path / "log.sqlite"
    ids = [f"019a8a3c-000{n}-7000-8000-00000000000{n}" for n in (1, 2)]
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as opened:
        for run in ids:
            opened.record(a_run(run), label=LABEL, run_id=run)
    where = ("--ledger", ledger)
    assert ids[1] in call("runs", "show", ids[1][:13], *where)
    assert "several runs begin with" in call("runs", "show", ids[1][:12], *where, code=2)
    assert "8 characters" in call("runs", "show", ids[1][:7], *where, code=2)
    assert "no run ffffffff" in call("runs", "show", "ffffffff", *where, code=2)
    exported = json.loads(call("runs", "export", ids[0][:13], *where))
    assert exported["format"].startswith("firmground-bundle")
    erase = ("runs", "erase", ids[0], ids[0][:13], *where, "--reason", "asked")
    assert f"run {ids[0]}" in call(*erase, code=2)
    assert read(*erase, "--yes")["runs"] == [ids[0]]


def test_a_mistake_is_answered_with_what_to_do(log: Path, tmp_path: Path) -> None:
    run = run_ids(log)[0]
    assert "FIRMGROUND_LEDGER" in call("runs", "list", code=2)
    said = call("runs", "export", run, "--ledger", log / "log.sqlite", "--disclose", "all", code=2)
    assert "--disclose-all" in said
    with a_ledger(tmp_path, name="unsigned.sqlite") as ledger:
        unsigned = ledger.record(a_run(), label=LABEL).run_id
    said = call("runs", "export", unsigned, "--ledger", tmp_path / "unsigned.sqlite", code=2)
    assert "firmground checkpoint --ledger" in said
    assert "--signer" in said


def test_commands_make_no_log_of_another_file_and_name_planted_triggers(
    log: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    assert "is empty, not a log" in call("audit", "--ledger", empty, code=2)
    assert empty.read_bytes() == b""
    ledger = log / "log.sqlite"
    behind_its_back(
        ledger, "CREATE TRIGGER zz BEFORE INSERT ON entry BEGIN SELECT RAISE(IGNORE); END"
    )
    told = call("audit", "--ledger", ledger, code=1)
    assert "tables: changed: the trigger zz on entry is not ours" in told


def test_the_beginning_of_a_run_id_is_looked_up_by_a_range_of_the_index(tmp_path: Path) -> None:
    """However many runs there are, only those that begin like this are looked at."""
    asked: list[tuple[str, tuple[Any, ...]]] = []

    class Listening(SqliteStore):
        def _run(self, sql: str, args: tuple[Any, ...] = ()) -> list[Any]:
            asked.append((sql, args))
            return super()._run(sql, args)

    store = Listening.open(tmp_path / "log.sqlite")
    with Ledger(store) as ledger:
        ids = [ledger.record(a_run(str(n)), label=LABEL).run_id for n in range(20)]
        asked.clear()
        assert find_run(ledger, ids[7][:-1]) == ids[7]
        assert find_run(ledger, ids[7]) == ids[7]
        for wrong in (ids[7] + "0", "zzzzzzzz", "00000000"):
            with pytest.raises(RecordNotFound):
                find_run(ledger, wrong)
        with pytest.raises(InputError, match="several runs"):
            find_run(ledger, ids[0][:8])
    other = apsw.Connection(str(tmp_path / "log.sqlite"))
    for sql, args in asked:
        for *_, plan in other.execute(f"EXPLAIN QUERY PLAN {sql}", args):
            assert "SEARCH entry USING" in plan, plan
            assert "INDEX sqlite_autoindex_entry_1 (run" in plan, plan
    other.close()
