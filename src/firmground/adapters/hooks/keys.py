"""Descriptions of the settings keys of each kind of hook."""

from __future__ import annotations

from dataclasses import dataclass

_SOURCE = "answer, question, metadata:NAME or literal:TEXT"


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionKey:
    """One key of a hook's table."""

    name: str
    holds: str
    """Its type, or the words it may be."""
    about: str


def _keys(text: str) -> tuple[OptionKey, ...]:
    rows = (line.split(" | ") for line in text.strip().splitlines())
    return tuple(OptionKey(name=n.strip(), holds=h.strip(), about=a.strip()) for n, h, a in rows)


_ROWS = f"""
query | text | one SELECT, WITH or VALUES
parameters | table of texts | what is bound, each from {_SOURCE}
expect | rows, no_rows, equals or in_answer | what makes a yes; the last two look at the first value
equals | text, number or true/false | only with expect = "equals": what the value must be
query_seconds | number | when the query is ended
most_rows | whole number | more is a fault
"""
COMMON_KEYS = _keys("""
type | text | the kind of hook
name | text | how it is called; the kind, unless given
phase | before, after or both | when it is asked, seen from the answer
timeout_seconds | number | its own deadline
target | text | hooks of one target share a breaker; the name, unless given
escalate | true/false | whether a person decides when it does not pass; by the policy, unless given
""")
KEYS: dict[str, tuple[OptionKey, ...]] = {
    "file_checksum": _keys("""
root | text | folder of the files, from the settings file on; nothing outside is opened
expected | table of texts | path below the root = digest, algorithm:hex or bare hex
algorithm | text | sha256, sha384, sha512, sha3_256, sha3_512, blake2b or blake2s, for bare digests
allow_weak | true/false | accept md5 and sha1 too
most_bytes | whole number | a longer file is a fault
"""),
    "json_schema": _keys(f"""
schema | text or table | the schema: a table, JSON as text, or the path of a file
source | text | what is validated: {_SOURCE}
pointer | text | JSON pointer to the part that counts; all of it, unless given
"""),
    "http_api": _keys(f"""
url | text | the address, without user and password
allow | list of texts | origins that may be asked, https://host[:port]
query | table of texts | parameters to send, each from {_SOURCE}
headers_from_environment | table of texts | header = variable that holds its value
query_from_environment | table of texts | parameter = variable that holds its value
pointer | text | JSON pointer to the value that counts; without it the reply must say passed
equals | text, number or true/false | what it must be; without it, it must stand in the answer
fresh_pointer | text | where the reply says when its data is from (RFC 3339)
fresh_seconds | number | how old that may be
private | true/false | true: addresses of your own network, 127.0.0.1 too, may be asked
most_bytes | whole number | a longer reply is a fault
"""),
    "sqlite": _keys("path | text | the database, from the settings file on\n" + _ROWS.strip()),
    "postgres": _keys(
        "dsn_variable | text | environment variable that holds the connection string\n"
        + _ROWS.strip()
    ),
    "command": _keys("""
argv | list of texts | program and arguments; absolute, or ./ from the settings file on
environment | table of texts | variables it gets, besides PATH and LANG
folder | text | where it runs, from the settings file on
network | true/false | true: it runs without walls and may use the network
cpu_seconds | whole number | time of the processor it may take
memory_bytes | whole number | memory it may take
processes | whole number | processes and threads it may have at once
most_output | whole number | more bytes of output are a fault
"""),
    "regex": _keys(f"""
must | list of texts | re2 patterns that have to occur
must_not | list of texts | re2 patterns that may not; one of the two lists is needed
source | text | what is searched: {_SOURCE}
"""),
    "arithmetic": _keys(f"source | text | what is recomputed: {_SOURCE}"),
    "citation": _keys("required | true/false | true: an answer that cites nothing is refused"),
    "ledger_record": _keys(f"""
root | text | folder of exported runs, from the settings file on
keys | list of texts | verifier keys of the logs that are trusted
run | text | where the run id comes from: {_SOURCE}
file | text | name of the file below the root, with {{run}} in it
step | text | the label it must have been recorded under; any, unless given
"""),
    "python": _keys("""
factory | text | module:name, called with the options; installed, or beside the settings file
options | table | its arguments
"""),
}
