from __future__ import annotations

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.service.conftest import CHECK, Server

from firmground.service.auth import KeyScope
from firmground.service.endpoints import ENDPOINTS
from firmground.service.problems import CODES


def test_a_check_is_answered_and_recorded(server: Server) -> None:
    key = server.key("check", "read")
    answer = server.call("POST", "/api/v1/check", CHECK, key=key)
    assert (answer.status, answer.json["verdict"]) == (200, "stands")
    run = answer.headers["x-firmground-run"]
    shown = server.call("GET", f"/api/v1/runs/{run}", key=key)
    assert shown.json["label"]["verdict"] == "stands"
    assert answer.json["receipt"]["run_id"] == run


def test_an_answer_that_falls_is_not_an_error(server: Server) -> None:
    body = {**CHECK, "answer": "It opened in 1952."}
    answer = server.call("POST", "/api/v1/check", body, key=server.key("check"))
    assert (answer.status, answer.json["verdict"]) == (200, "does_not_stand")


def test_many_rows_are_answered_in_order_and_a_bad_one_in_its_place(server: Server) -> None:
    rows = [{**CHECK, "id": 1}, {"id": 2, "answer": "x"}, {**CHECK, "id": 3}]
    answer = server.call("POST", "/api/v1/check/many", {"rows": rows}, key=server.key("check"))
    assert [row["id"] for row in answer.json["results"]] == [1, 2, 3]
    assert "evidence" in answer.json["results"][1]["error"]


def test_a_stream_releases_only_units_that_stand(server: Server) -> None:
    body = {
        "deltas": ["It opened in ", "1932. It ope", "ned in 1871."],
        "evidence": "It opened in 1932.",
    }
    answer = server.call("POST", "/api/v1/check/stream", body, key=server.key("check"))
    events = [part.split("\n") for part in answer.raw.decode().strip().split("\n\n")]
    told = [(name[7:], json.loads(data[6:])) for name, data in events]
    assert [name for name, _ in told] == ["released", "withheld", "finished"]
    assert "1932" in told[0][1]["text"]
    assert "1871" not in json.dumps(told[:2])


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda e: f"{e.method} {e.path}")
def test_the_authorisation_matrix(server: Server, endpoint: Any) -> None:
    path = endpoint.path.replace("{path:path}", "0/000").replace("{run}", "r").replace("{key}", "k")
    path = path.replace("{policy}", "strict").replace("{other}", "balanced")
    path = path.replace("/runs/events", "/runs/events?after=x")  # a problem, not an endless reply
    body: Any = {} if endpoint.body else (b"" if endpoint.method == "POST" else None)
    for key in (None, "nonsense", "fg_0000000000000000_" + "A" * 43):
        status = server.call(endpoint.method, path, body, key=key).status
        assert (status == 401) == (endpoint.scope is not None), key
    for scope in KeyScope:
        status = server.call(endpoint.method, path, body, key=server.key(scope)).status
        wanted = endpoint.scope
        allowed = wanted in (None, scope) or scope is KeyScope.ADMIN
        allowed = allowed or (isinstance(wanted, frozenset) and scope in wanted)
        assert (status == 403) == (not allowed), scope
        assert status < 500, scope


def test_a_revoked_key_is_refused(server: Server) -> None:
    from firmground.service.state import ServiceState

    key = server.key("check")
    assert server.call("POST", "/api/v1/check", CHECK, key=key).status == 200
    state = ServiceState(server.data)
    state.revoke_key(key.split("_")[1])
    state.close()
    assert server.call("POST", "/api/v1/check", CHECK, key=key).status == 401


def test_no_secret_is_kept(server: Server) -> None:
    secret = server.key("check").split("_", 2)[2].encode()
    for file in server.data.iterdir():
        assert secret not in file.read_bytes(), file


def test_rate_and_budget_of_a_key_are_held(server: Server) -> None:
    slow = server.key("check", per_minute=2)
    assert [server.call("POST", "/api/v1/check", CHECK, key=slow).status for _ in range(3)] == [
        200, 200, 429,
    ]  # fmt: skip
    answer = server.call("POST", "/api/v1/check", CHECK, key=slow)
    assert answer.json["code"] == "rate_limited"
    assert int(answer.headers["retry-after"]) >= 1
    poor = server.key("check", budget=1)
    assert server.call("POST", "/api/v1/check", CHECK, key=poor).status == 200
    assert server.call("POST", "/api/v1/check", CHECK, key=poor).json["code"] == "over_budget"


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        (b"{", 400, None),
        (b"[" * 100_000, 400, None),
        (b"[" * 40 + b"]" * 40, 422, None),
        (b'{"answer": "\xff"}', 400, None),
        (b'{"answer": NaN}', 400, None),
        ({**CHECK, "answer": 1}, 422, "answer"),
        ({**CHECK, "polcy": "x"}, 422, "polcy"),
        ({**CHECK, "policy": "/etc/passwd"}, 422, "policy"),
        ({**CHECK, "answer": "x" * (1 << 20)}, 413, None),
        ({"answer": "x"}, 422, "evidence"),
    ],
)
def test_a_bad_body_is_a_problem_that_names_the_field(
    server: Server, body: Any, status: int, field: str | None
) -> None:
    answer = server.call("POST", "/api/v1/check", body, key=server.key("check"))
    assert (answer.status, answer.json.get("field")) == (status, field)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["code"] in CODES


def test_an_idempotency_key_gets_the_first_reply_and_one_record(server: Server) -> None:
    key, more = server.key("check", "read"), {"Idempotency_Key": "once"}
    first = server.call("POST", "/api/v1/check", CHECK, key=key, **more)
    count = len(server.runs(key))
    again = server.call("POST", "/api/v1/check", CHECK, key=key, **more)
    assert (again.raw, len(server.runs(key))) == (first.raw, count)
    other = server.call("POST", "/api/v1/check", {**CHECK, "id": "z"}, key=key, **more)
    assert (other.status, other.json["code"]) == (409, "conflict")


def test_runs_are_paged_and_filtered(server: Server) -> None:
    key = server.key("check", "read")
    for answer in ("It opened in 1932.", "It opened in 1952."):
        server.call("POST", "/api/v1/check", {**CHECK, "answer": answer}, key=key)
    every = server.runs(key)
    places = [run["seq"] for run in every]
    assert places == sorted(places, reverse=True)
    page = server.call("GET", "/api/v1/runs?limit=1", key=key).json
    after = server.call("GET", f"/api/v1/runs?limit=1&before={page['next']}", key=key).json
    assert [page["runs"][0]["run"], after["runs"][0]["run"]] == [r["run"] for r in every[:2]]
    fell = server.call("GET", "/api/v1/runs?verdict=does_not_stand", key=key).json["runs"]
    assert fell
    assert {run["label"]["verdict"] for run in fell} == {"does_not_stand"}


def test_an_exported_run_verifies_and_an_erased_one_is_gone(server: Server) -> None:
    key = server.key("admin")
    run = server.call("POST", "/api/v1/check", CHECK, key=key).headers["x-firmground-run"]
    bundle = server.call("POST", f"/api/v1/runs/{run}/export", {"disclose": "all"}, key=key).json
    from firmground.ledger.signing import read_key_file

    public = str(read_key_file(server.data / "log.key").verifier)
    body = {"bundle": bundle, "keys": [public]}
    assert server.call("POST", "/api/v1/verify", body, key=key).json["valid"] is True
    judged = server.call("POST", f"/api/v1/runs/{run}/decide", {"policy": "strict"}, key=key)
    assert judged.json["policy"]["name"] == "strict"
    erased = server.call("POST", "/api/v1/runs/erase", {"runs": [run], "reason": "asked"}, key=key)
    assert erased.json["payloads"] == 7
    shown = server.call("GET", f"/api/v1/runs/{run}", key=key).json
    assert all(stage["erased"] for stage in shown["stages"])
    assert server.call("POST", "/api/v1/log/audit", b"", key=key).json["holds"] is True


def test_checkpoint_and_tiles_are_served(server: Server) -> None:
    key = server.key("check", "read")
    server.call("POST", "/api/v1/check", CHECK, key=key)
    until = time.monotonic() + 20
    while (note := server.call("GET", "/checkpoint", key=key)).status != 200:
        assert time.monotonic() < until
        time.sleep(0.1)
    size = int(note.raw.split(b"\n")[1])
    name = "0/000" if size >= 256 else f"0/000.p/{size}"
    assert len(server.call("GET", f"/tile/{name}", key=key).raw) == 32 * min(size, 256)


def test_policies_are_listed_explained_and_compared(server: Server) -> None:
    key = server.key("read")
    listed = server.call("GET", "/api/v1/policies", key=key).json
    assert {"strict", "balanced"} <= {policy["name"] for policy in listed["policies"]}
    assert server.call("GET", "/api/v1/policies/strict", key=key).json["explained"]
    assert server.call("GET", "/api/v1/policies/strict/diff/balanced", key=key).json["rules"]
    assert server.call("GET", "/api/v1/policies/none", key=key).status == 404


def test_metrics_and_logs_hold_no_content(server: Server) -> None:
    key = server.key("check", "read")
    secret = "Zyxomma petiolatum flies at dusk."
    server.call("POST", "/api/v1/check", {"answer": secret, "evidence": secret}, key=key)
    metrics = server.call("GET", "/metrics", key=key).raw.decode()
    assert 'grounding_verdict_total{check="check",verdict="stands"}' in metrics
    assert "Zyxomma" not in metrics + server.log()
    assert key not in server.log()


def test_a_client_that_hangs_up_leaves_its_record(server: Server) -> None:
    key = server.key("check", "read")
    before = len(server.runs(key))
    body = json.dumps(CHECK).encode()
    head = (
        f"POST /api/v1/check HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(head + body)
    until = time.monotonic() + 20
    while len(server.runs(key)) < before + 20 and time.monotonic() < until:
        time.sleep(0.1)
    time.sleep(0.3)
    assert len(server.runs(key)) == before + 20


@pytest.mark.soak
def test_after_a_kill_every_admitted_request_has_exactly_one_record(tmp_path: Path) -> None:
    server = Server(tmp_path)
    key = server.key("check", "read")
    answered: list[str] = []
    ended = threading.Event()

    def work() -> None:
        while not ended.is_set():
            try:
                answer = server.call("POST", "/api/v1/check", CHECK, key=key)
            except OSError:
                continue
            if answer.status == 200:
                answered.append(answer.headers["x-firmground-run"])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        time.sleep(0.7)
        server.kill()
        server.start()
    ended.set()
    for thread in threads:
        thread.join()
    recorded = [run["run"] for run in server.runs(key)]
    assert len(recorded) == len(set(recorded))
    assert set(answered) <= set(recorded)
    from firmground.service.state import ServiceState

    state = ServiceState(server.data)
    assert state.unfinished() == ()
    state.close()
    cut_off = [r for r in server.runs(key) if r["label"]["decision"] == "cut_off"]
    assert len(answered) + len(cut_off) <= len(recorded)
    assert server.stop() == 0


def test_overload_is_refused_with_a_time_to_wait_and_never_with_a_defect(tmp_path: Path) -> None:
    limits = "[service.limits]\nrunning = 1\nqueue = 2\nqueue_seconds = 0.2\n"
    server = Server(tmp_path, limits)
    key = server.key("check", "read")
    rows = {"answer": "It opened in 1932. " * 200, "evidence": "It opened in 1932. " * 200}
    with ThreadPoolExecutor(40) as pool:
        calls = [
            pool.submit(server.call, "POST", "/api/v1/check", rows, key=key) for _ in range(80)
        ]
        answers = [call.result() for call in calls]
    statuses = [answer.status for answer in answers]
    assert set(statuses) == {200, 503}
    assert all("retry-after" in a.headers for a in answers if a.status == 503)
    assert len(server.runs(key)) == statuses.count(200)
    assert server.call("POST", "/api/v1/check", CHECK, key=key).status == 200
    server.stop()


def test_a_signal_to_stop_finishes_what_is_under_way(tmp_path: Path) -> None:
    server = Server(tmp_path)
    key = server.key("check", "read")
    rows = {"answer": "It opened in 1932. " * 60, "evidence": "It opened in 1932. " * 60}
    with ThreadPoolExecutor(6) as pool:
        calls = [pool.submit(server.call, "POST", "/api/v1/check", rows, key=key) for _ in range(6)]
        time.sleep(0.3)
        assert server.stop() == 0
        done = [call for call in calls if call.exception() is None]
    acked = [c.result().headers["x-firmground-run"] for c in done if c.result().status == 200]
    server.start()
    recorded = {run["run"] for run in server.runs(key)}
    assert acked
    assert set(acked) <= recorded
    server.stop()
