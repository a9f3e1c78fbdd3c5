"""Ways of tampering with an exported bundle, each from a seeded source of chance."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

Mutator = Callable[[random.Random, bytes, bytes], bytes]
"""(chance, bundle, another bundle) -> a changed bundle"""

LOOKALIKES = {
    "\u2014": "\u2013\u2015\u2012-\u30fc\ufe58",
    "a": "\u0430\u00e0\uff41",
    "e": "\u0435\u00e9\uff45",
    "o": "\u043e\u03bf\uff4f",
    "c": "\u0441\uff43",
    "p": "\u0440\uff50",
    "0": "\uff10O\u0660",
    "1": "\uff11l\u0661",
    " ": "\u00a0\u2009\u3000",
    "\n": "\r\u2028\u0085",
    ".": "\u2024\uff0e",
    "/": "\u2215\uff0f",
    "=": "\uff1d",
    "+": "\uff0b-",
}


def dump(document: Any) -> bytes:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def flip_bit(chance: random.Random, data: bytes, _: bytes) -> bytes:
    made = bytearray(data)
    made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
    return bytes(made)


def set_byte(chance: random.Random, data: bytes, _: bytes) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def truncate(chance: random.Random, data: bytes, _: bytes) -> bytes:
    return data[: chance.randrange(len(data))]


def cut_out(chance: random.Random, data: bytes, _: bytes) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + data[at + chance.choice((1, 1, 2, 4, 44, 300)) :]


def put_in(chance: random.Random, data: bytes, _: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice((b" ", b"\n", b"\0", b"A", b"=", b"\xef\xbb\xbf")) + data[at:]


def repeat(chance: random.Random, data: bytes, _: bytes) -> bytes:
    at = chance.randrange(len(data))
    end = at + chance.randrange(1, 300)
    return data[:end] + data[at:end] + data[end:]


def splice(chance: random.Random, data: bytes, other: bytes) -> bytes:
    at = chance.randrange(min(len(data), len(other)))
    size = chance.choice((1, 4, 44, 88, 1000, len(data)))
    return data[:at] + other[at : at + size] + data[at + size :]


def lookalike(chance: random.Random, data: bytes, _: bytes) -> bytes:
    text = data.decode()
    character = chance.choice([c for c in LOOKALIKES if c in text])
    places = [i for i, c in enumerate(text) if c == character]
    at = chance.choice(places)
    return (text[:at] + chance.choice(LOOKALIKES[character]) + text[at + 1 :]).encode()


def respell_json(chance: random.Random, data: bytes, _: bytes) -> bytes:
    document = json.loads(data)
    way = chance.randrange(6)
    if way == 0:
        return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    if way == 1:
        return json.dumps(document, sort_keys=True, ensure_ascii=False).encode()
    if way == 2:
        keys = list(document)
        chance.shuffle(keys)
        shuffled = {key: document[key] for key in keys}
        return json.dumps(shuffled, separators=(",", ":"), ensure_ascii=False).encode()
    if way == 3:
        return data + chance.choice((b" ", b"\n", b"\r\n", b"\0", b"{}"))
    if way == 4:
        return chance.choice((b" ", b"\xef\xbb\xbf", b"\n")) + data
    return data.replace(b"\\n", b"\\u000a", chance.randrange(1, 4))


def double_key(chance: random.Random, data: bytes, other: bytes) -> bytes:
    key = chance.choice(list(json.loads(data)))
    value = dump(json.loads(chance.choice((data, other)))[key])
    pair = dump(key) + b":" + value
    return (
        b"{" + pair + b"," + data[1:] if chance.random() < 0.5 else data[:-1] + b"," + pair + b"}"
    )


def respell_base64(chance: random.Random, data: bytes, _: bytes) -> bytes:
    document = json.loads(data)
    holder, key = chance.choice(_base64_places(document))
    text: str = holder[key]
    way = chance.randrange(6)
    if way == 0:
        text = text.rstrip("=") if text.endswith("=") else text + "="
    elif way == 1:
        text = text.replace("+", "-").replace("/", "_") + ("" if set("+/") & set(text) else "\n")
    elif way == 2:
        text = text[:4] + chance.choice(" \n\t") + text[4:]
    elif way == 3 and text.endswith("="):
        # Set bits that decoders throw away.
        body, pad = text.rstrip("="), text[len(text.rstrip("=")) :]
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        low = 1 << (2 * len(pad))
        value = alphabet.index(body[-1]) ^ chance.randrange(1, low)
        text = body[:-1] + alphabet[value] + pad
    elif way == 4:
        text += "AAAA"
    else:
        text = text[:-4]
    holder[key] = text
    return dump(document)


def _base64_places(document: Any) -> list[tuple[Any, Any]]:
    places: list[tuple[Any, Any]] = [(document, "entry"), (document, "dsse")]
    places += [(document["stages"], i) for i in range(len(document["stages"]))]
    for item in document["disclosed"]:
        places += [(item, "salt"), (item, "payload")]
    return [(holder, key) for holder, key in places if isinstance(holder[key], str)]


def swap_fields(chance: random.Random, data: bytes, _: bytes) -> bytes:
    document = json.loads(data)
    (a, i), (b, j) = (chance.choice(_base64_places(document)) for _ in range(2))
    a[i], b[j] = b[j], a[i]
    return dump(document)


def transplant(chance: random.Random, data: bytes, other: bytes) -> bytes:
    document, donor = json.loads(data), json.loads(other)
    for key in chance.sample(sorted(document), chance.randrange(1, 4)):
        document[key] = donor[key]
    return dump(document)


def transplant_stage(chance: random.Random, data: bytes, other: bytes) -> bytes:
    document, donor = json.loads(data), json.loads(other)
    name = chance.choice(("stages", "disclosed"))
    if not document[name] or not donor[name]:
        return transplant(chance, data, other)
    at = chance.randrange(min(len(document[name]), len(donor[name])))
    document[name][at] = donor[name][at]
    return dump(document)


def change_list(chance: random.Random, data: bytes, _: bytes) -> bytes:
    document = json.loads(data)
    items = document[chance.choice(("stages", "disclosed"))]
    if not items:
        document["disclosed"] = [{"ord": 0, "payload": "", "salt": _b64(bytes(32))}]
        return dump(document)
    way = chance.randrange(4)
    at = chance.randrange(len(items))
    if way == 0:
        del items[at]
    elif way == 1:
        items.insert(at, items[chance.randrange(len(items))])
    elif way == 2:
        items.append(items[-1])
    else:
        items.reverse()
    return dump(document)


def change_types(chance: random.Random, data: bytes, _: bytes) -> bytes:
    document = json.loads(data)
    key = chance.choice(sorted(document))
    odd: Sequence[Any] = (None, 0, True, [], {}, "", [None], {"a": 1}, -1, 1.5, [[]], "\ud800")
    document[key] = chance.choice(odd)
    if chance.random() < 0.3:
        document[chance.choice(("extra", "Entry", "v"))] = chance.choice(odd)
    return dump(document)


def change_inner_json(chance: random.Random, data: bytes, _: bytes) -> bytes:
    """Change a field inside the entry, a stage or the statement, all neatly encoded again."""
    document = json.loads(data)
    holder, key = chance.choice([(document, "entry"), *_stage_places(document), (document, "dsse")])
    if not isinstance(holder[key], str):
        return change_types(chance, data, data)
    inner = json.loads(base64.b64decode(holder[key]))
    if key == "dsse" and chance.random() < 0.7:
        payload = json.loads(base64.b64decode(inner["payload"]))
        _change_value(chance, payload)
        inner["payload"] = _b64(dump(payload))
    else:
        _change_value(chance, inner)
    holder[key] = _b64(dump(inner))
    return dump(document)


def _stage_places(document: Any) -> list[tuple[Any, Any]]:
    return [(document["stages"], i) for i in range(len(document["stages"]))]


def _change_value(chance: random.Random, document: Any) -> None:
    key = chance.choice(list(document)) if isinstance(document, dict) else None
    if key is None or chance.random() < 0.1:
        document["extra"] = 1
        return
    value = document[key]
    if isinstance(value, dict) and value and chance.random() < 0.7:
        _change_value(chance, value)
    elif isinstance(value, bool):
        document[key] = not value
    elif isinstance(value, int):
        document[key] = value + chance.choice((-1, 1, 1000))
    elif isinstance(value, str) and value:
        at = chance.randrange(len(value))
        document[key] = value[:at] + chance.choice("0f9zA=") + value[at + 1 :]
    elif isinstance(value, list):
        document[key] = value[1:] if value else [0]
    else:
        del document[key]


def change_payload(chance: random.Random, data: bytes, other: bytes) -> bytes:
    document = json.loads(data)
    if not document["disclosed"]:
        return change_inner_json(chance, data, other)
    item = chance.choice(document["disclosed"])
    key = chance.choice(("payload", "salt", "ord"))
    if key == "ord":
        item["ord"] += chance.choice((-1, 1, 100))
    else:
        raw = bytearray(base64.b64decode(item[key]))
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
        item[key] = _b64(bytes(raw))
    return dump(document)


def change_proof(chance: random.Random, data: bytes, other: bytes) -> bytes:
    document, donor = json.loads(data), json.loads(other)
    lines = document["proof"].split("\n")
    at = chance.randrange(len(lines))
    way = chance.randrange(9)
    if way == 0:
        del lines[at]
    elif way == 1:
        lines.insert(at, chance.choice(("", "extra AAAA", "index 0", lines[at])))
    elif way == 2:
        to = chance.randrange(len(lines))
        lines[at], lines[to] = lines[to], lines[at]
    elif way == 3:
        lines[at] += chance.choice((" ", "\r", "\t", "=", "0"))
    elif way == 4:
        theirs = donor["proof"].split("\n")
        lines[at] = theirs[min(at, len(theirs) - 1)]
    elif way == 5:
        lines[-1:] = [f"\u2014 evil.example/w {_b64(chance.randbytes(68))}", ""]
    elif way == 6:
        lines = [
            line.replace("\u2014 ", chance.choice(("- ", "\u2014", "\u2013 "))) for line in lines
        ]
    elif way == 7:
        number = chance.randrange(20)
        lines = [f"index {number}" if line.startswith("index ") else line for line in lines]
    else:
        lines[-1:] = [lines[-2], ""]
    document["proof"] = "\n".join(lines)
    return dump(document)


MUTATORS: tuple[Mutator, ...] = (
    flip_bit, flip_bit, flip_bit, set_byte, truncate, cut_out, put_in, repeat, splice, lookalike,
    respell_json, double_key, respell_base64, respell_base64, swap_fields, transplant,
    transplant_stage, change_list, change_types, change_inner_json, change_inner_json,
    change_payload, change_proof, change_proof,
)  # fmt: skip
