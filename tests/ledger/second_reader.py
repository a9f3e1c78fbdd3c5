"""A second verifier of bundles, written from docs/ledger.md alone: it imports nothing of ours.

Where the two disagree, the page or one of the programs is wrong.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

KEY = re.compile(r"[a-z0-9_.-]{1,64}")
HEX = re.compile(r"[0-9a-f]{64}")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)
NUMBER = re.compile(r"0|[1-9][0-9]*")
RUN_FIELDS = {
    "v", "type", "seq", "prev", "ts", "durability", "run", "shape", "preflight", "attempts", "n",
    "root", "label", "aside", "policy", "stream",
}  # fmt: skip


def need(fact: Any) -> None:
    if not fact:
        raise ValueError


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def compact(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8")


def plain(value: Any, depth: int = 0) -> None:
    need(depth <= 32)
    if type(value) is dict:
        for key, item in value.items():
            need(KEY.fullmatch(key))
            plain(item, depth + 1)
    elif type(value) is list:
        for item in value:
            plain(item, depth + 1)
    else:
        need(value is None or type(value) in (str, bool, int))
        need(type(value) is not int or abs(value) <= 2**53 - 1)


def read(data: bytes) -> Any:
    value = json.loads(data.decode("utf-8"))
    plain(value)
    need(compact(value) == data)
    return value


def unb64(text: Any) -> bytes:
    need(type(text) is str)
    data = base64.b64decode(text, validate=True)
    need(base64.b64encode(data).decode() == text)
    return data


def number(text: str) -> int:
    need(NUMBER.fullmatch(text) and int(text) < 2**63)
    return int(text)


def tree(leaves: list[bytes]) -> bytes:
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return sha(b"\x01" + tree(leaves[:k]) + tree(leaves[k:]))


def climb(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    """The root that the path leads to, by recursion from the top of the tree."""
    need(index < size)
    if size == 1:
        need(not path)
        return leaf
    need(path)
    k = 1
    while 2 * k < size:
        k *= 2
    if index < k:
        return sha(b"\x01" + climb(leaf, index, k, path[:-1]) + path[-1])
    return sha(b"\x01" + path[-1] + climb(leaf, index - k, size - k, path[:-1]))


def plan(shape: str, preflight: bool, attempts: list[str]) -> list[tuple[str, int, list[int]]]:
    stages: list[tuple[str, int, list[int]]] = [("question", 0, [])]
    if preflight:
        stages.append(("preflight", 0, [0]))
    if shape == "reject":
        need(preflight and not attempts)
        return [*stages, ("final_label", 0, [0, 1])]
    need(attempts and attempts[0] == "first" and len(attempts) <= 64)
    asked, verdict, evidence = list(range(len(stages))), -1, 0
    middle = {"quote": ["answer"], "pointer": ["raw_answer", "parsed_claims"]}[shape]
    for turn, kind in enumerate(attempts):
        need(kind in (("first",) if turn == 0 else ("regenerate", "replan")))
        before = [verdict] if turn else []
        if kind != "regenerate":
            stages.append(("retrieval", turn, asked + before))
            evidence = len(stages)
            name = "context" if shape == "quote" else "evidence_map"
            stages.append((name, turn, [evidence - 1]))
        stages.append(("prompt", turn, sorted({0, evidence, *before})))
        for name in middle:
            stages.append((name, turn, [len(stages) - 1]))
        verdict = len(stages)
        stages.append(("verify", turn, [evidence, verdict - 1]))
        if shape == "pointer":
            stages.append(("render", turn, [verdict]))
    ends = [i for i, (name, _, _) in enumerate(stages) if name in ("verify", "render")]
    return [*stages, ("final_label", len(attempts) - 1, ends)]


def run_entry(data: bytes) -> dict[str, Any]:
    entry: dict[str, Any] = read(data)
    need(type(entry) is dict and entry.keys() == RUN_FIELDS)
    need(entry["v"] == "fg1" and entry["type"] == "run")
    need(type(entry["seq"]) is int and type(entry["n"]) is int and entry["seq"] >= 0)
    for name in ("prev", "root"):
        need(HEX.fullmatch(entry[name]))
    for name in ("aside", "policy"):
        need(entry[name] is None or HEX.fullmatch(entry[name]))
    need((entry["seq"] == 0) == (entry["prev"] == "0" * 64))
    need(UUID.fullmatch(entry["run"]) and TIME.fullmatch(entry["ts"]))
    need(entry["durability"] in ("full", "process"))
    need(entry["stream"] in ("buffered", "windowed", "annotate"))
    need(type(entry["preflight"]) is bool and type(entry["attempts"]) is list)
    need(type(entry["label"]) is dict and entry["label"])
    need(all(type(v) is str and len(v) <= 1024 for v in entry["label"].values()))
    return entry


def check_aside(payload: bytes) -> None:
    aside = read(payload)
    need(aside.keys() == {"cache_key", "compat"} and any(aside.values()))
    need(aside["cache_key"] is None or HEX.fullmatch(aside["cache_key"]))
    compat = aside["compat"]
    need(compat is None or (compat.keys() == {"profile", "root"} and compat["profile"] == "fg0"))
    need(compat is None or HEX.fullmatch(compat["root"]))


def signed_by(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def key_parts(vkey: str) -> tuple[str, bytes, bytes]:
    name, key_id, material = vkey.split("+", 2)
    raw = base64.b64decode(material)
    need(raw[0] == 1 and sha(name.encode() + b"\n" + raw)[:4].hex() == key_id)
    return name, bytes.fromhex(key_id), raw[1:]


def check(data: bytes, vkey: str) -> None:
    """Raise unless the bundle holds; a statement is required, witnesses are not looked at."""
    name, key_id, public = key_parts(vkey)
    bundle = read(data)
    need(bundle.keys() == {"disclosed", "dsse", "entry", "format", "proof", "stages"})
    need(bundle["format"] == "firmground-bundle/1")
    raw = unb64(bundle["entry"])
    entry = run_entry(raw)
    stages = plan(entry["shape"], entry["preflight"], entry["attempts"])
    leaves = [unb64(item) for item in bundle["stages"]]
    need(len(leaves) == len(stages) == entry["n"])
    hashes = [sha(b"\x00" + leaf) for leaf in leaves]
    commits = []
    for ordinal, (stage, turn, parents) in enumerate(stages):
        leaf = read(leaves[ordinal])
        need(HEX.fullmatch(leaf["commit"]))
        commits.append(leaf["commit"])
        expected = {
            "v": "fg1", "stage": stage, "ord": ordinal, "attempt": turn, "run": entry["run"],
            "commit": leaf["commit"], "parents": [hashes[parent].hex() for parent in parents],
        }  # fmt: skip
        need(compact(expected) == leaves[ordinal])
    need(tree(hashes).hex() == entry["root"])
    commits.append(entry["aside"])
    answers = []
    last = -1
    for item in bundle["disclosed"]:
        need(item.keys() == {"ord", "payload", "salt"} and type(item["ord"]) is int)
        need(last < item["ord"] <= len(stages))
        last = item["ord"]
        stage, turn, _ = (*stages, ("aside", 0, []))[last]
        salt, payload = unb64(item["salt"]), unb64(item["payload"])
        need(len(salt) == 32)
        message = b"fg1/payload\0" + stage.encode() + b"\0" + payload
        need(hmac.new(salt, message, hashlib.sha256).hexdigest() == commits[last])
        if stage == "aside":
            check_aside(payload)
        if stage in ("answer", "render"):
            answers.append((f"answer/{turn}", sha(payload).hex()))
    origin, size = check_proof(bundle["proof"], sha(b"\x00" + raw), entry["seq"], vkey)
    parts = {key: value for key, value in bundle.items() if key != "dsse"}
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "predicateType": "urn:firmground:answer:v1",
        "subject": [
            {"digest": {"sha256": digest}, "name": subject}
            for subject, digest in answers or [("entry", sha(raw).hex())]
        ],
        "predicate": {
            "bundle": sha(compact(parts)).hex(),
            "label": entry["label"],
            "log": {"index": entry["seq"], "origin": origin, "size": size},
            "run": entry["run"],
        },
    }
    envelope = json.loads(unb64(bundle["dsse"]))
    need(compact(envelope) == unb64(bundle["dsse"]))
    need(envelope.keys() == {"payload", "payloadType", "signatures"})
    kind = envelope["payloadType"]
    need(kind == "application/vnd.in-toto+json" and len(envelope["signatures"]) == 1)
    body = unb64(envelope["payload"])
    need(body == compact(statement))
    (line,) = envelope["signatures"]
    need(line.keys() == {"keyid", "sig"} and line["keyid"] == f"{name}+{key_id.hex()}")
    pae = b"DSSEv1 %d %b %d %b" % (len(kind), kind.encode(), len(body), body)
    need(signed_by(public, pae, unb64(line["sig"])))


def check_proof(text: str, leaf: bytes, seq: int, vkey: str) -> tuple[str, int]:
    name, key_id, public = key_parts(vkey)
    head, _, signed = text.partition("\n\n")
    lines = head.split("\n")
    need(lines[0] == "c2sp.org/tlog-proof@v1" and lines[1].startswith("index "))
    need(number(lines[1][6:]) == seq)
    path = [unb64(line) for line in lines[2:]]
    need(all(len(item) == 32 for item in path))
    body, gap, tail = signed.rpartition("\n\n")
    need(gap and tail.endswith("\n") and not re.search(r"[\x00-\x09\x0b-\x1f]", signed))
    body += "\n"
    origin, count, root, end = body.split("\n")
    need(end == "" and origin == name)
    need(climb(leaf, seq, number(count), path) == unb64(root))
    seen = set()
    held = False
    for line in tail[:-1].split("\n"):
        need(line.startswith("\u2014 "))
        who, encoded = line[2:].split(" ")
        blob = unb64(encoded)
        need(len(blob) > 4 and (who, blob[:4]) not in seen and not re.search(r"[\s+]", who) and who)
        seen.add((who, blob[:4]))
        if (who, blob[:4]) == (name, key_id):
            need(signed_by(public, body.encode(), blob[4:]))
            held = True
    need(held)
    return origin, number(count)


def holds(data: bytes, vkey: str) -> bool:
    """Whether the bundle holds, by this reader."""
    try:
        check(data, vkey)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return False
    return True
