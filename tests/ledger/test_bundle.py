"""An exported run is accepted exactly as it was exported, and in no other way."""

from __future__ import annotations

import base64
import json
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ledger.mutants import MUTATORS, dump
from tests.ledger.open_log import LABEL as OPEN_LABEL
from tests.ledger.open_log import a_ledger, a_signer
from tests.ledger.open_log import a_run as open_run
from tests.ledger.paper_log import LABEL, ORIGIN, PaperLog, a_log, a_run, key, witness
from tests.ledger.second_reader import holds
from tests.progress import Progress

from firmground.core.canon import canonical
from firmground.core.canon import parse as parse_canonical
from firmground.core.run import MAX_ATTEMPTS, AttemptReason, Shape, Stage, seal
from firmground.errors import InputError
from firmground.ledger import bundlefile, dsse
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.bundle import Bundle, Disclosure, make_bundle, parse_bundle, verify_bundle
from firmground.ledger.entry import PolicyEntry, entry_hash
from firmground.ledger.keys import VerifierKey

LOG = a_log()
KEYS = (LOG.signer.verifier,)
SALTS = [bytes([i]) * 32 for i in range(8)]
W1, W2 = witness("w1.example"), witness("w2.example")
OTHER_LOG = PaperLog(key("other.example/log"))
for _number in range(4):
    OTHER_LOG.record(a_run(words=f"other {_number} "))


def refusal(data: bytes, **how: object) -> str:
    report = verify_bundle(data, **{"keys": KEYS, **how})  # type: ignore[arg-type]
    assert not report.valid
    assert report.verified is None
    return "; ".join(report.reasons)


@pytest.mark.parametrize("seq", range(11))
def test_every_shape_and_every_number_of_attempts_holds_when_exported(seq: int) -> None:
    report = verify_bundle(LOG.bundle(seq).data, keys=KEYS)
    assert report.valid, report.reasons
    assert report.verified is not None
    assert report.verified.index == seq
    assert report.verified.size == 11
    assert report.verified.label == LABEL
    shown = [item.payload for item in report.verified.disclosed]
    assert shown == [node.payload for node in LOG.sealed[seq].run.nodes]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10), st.data())
def test_any_subset_of_the_payloads_may_be_disclosed(seq: int, data: st.DataObject) -> None:
    nodes = LOG.sealed[seq].run.nodes
    ordinals = sorted(data.draw(st.sets(st.integers(0, len(nodes) - 1))))
    report = verify_bundle(LOG.bundle(seq, ordinals=ordinals).data, keys=KEYS)
    assert report.verified is not None
    assert [item.ordinal for item in report.verified.disclosed] == ordinals
    assert [i.payload for i in report.verified.disclosed] == [nodes[i].payload for i in ordinals]


def test_what_is_not_disclosed_is_not_in_the_file() -> None:
    data = LOG.bundle(0, ordinals=[5]).data
    assert base64.b64encode(LOG.sealed[0].run.nodes[5].payload) in data
    assert base64.b64encode(LOG.sealed[0].run.nodes[0].payload) not in data


def test_the_report_says_what_it_does_not_prove() -> None:
    report = verify_bundle(LOG.bundle(0).data, keys=KEYS)
    assert any("true" in line for line in report.not_proved)
    assert any("every run" in line for line in report.not_proved)
    assert any("witness" in line for line in report.not_proved)
    watched = verify_bundle(LOG.bundle(0, W1).data, keys=KEYS, witnesses=[W1.verifier], quorum=1)
    assert not any("witness" in line for line in watched.not_proved)


MUTANTS_OF: tuple[tuple[bytes, dict[str, Any]], ...] = (
    (LOG.bundle(0).data, {}),
    (LOG.bundle(1).data, {}),
    (LOG.bundle(2).data, {}),
    (LOG.bundle(3, ordinals=[]).data, {}),
    (LOG.bundle(4, W1, W2).data, {}),
    (LOG.bundle(6, W1, W2).data, {"witnesses": (W1.verifier, W2.verifier), "quorum": 2}),
    (LOG.bundle(0, stated=False).data, {"require_statement": False}),
    (
        LOG.bundle(3, W1, stated=False).data,
        {"require_statement": False, "witnesses": (W1.verifier,), "quorum": 1},
    ),
)
ORIGINALS = [data for data, _ in MUTANTS_OF] + [OTHER_LOG.bundle(1).data]


def withholds_only(data: bytes) -> bool:
    """Whether this is one of our bundles with its statement and some payloads left out.

    Whoever does not require a statement accepts that, and nothing else.
    """
    try:
        made = parse_bundle(data)
    except InputError:
        return False
    return any(
        (made.entry, made.stages, made.proof) == (one.entry, one.stages, one.proof)
        and made.dsse in (None, one.dsse)
        and set(made.disclosed) <= set(one.disclosed)
        for one in map(parse_bundle, ORIGINALS)
    )


def accepted_mutants(count: int, seed: int) -> list[bytes]:
    """The mutants that a verifier took for genuine; there must be none."""
    chance = random.Random(seed)
    progress = Progress(f"changed bundles, seed {seed}", count)
    taken = []
    tried = 0
    while tried < count:
        data, how = chance.choice(MUTANTS_OF)
        changed = chance.choice(MUTATORS)(chance, data, chance.choice(ORIGINALS))
        if changed in ORIGINALS:
            continue
        tried += 1
        progress.step()
        if not verify_bundle(changed, keys=KEYS, **how).valid:
            continue
        if how.get("require_statement", True) or not withholds_only(changed):
            taken.append(changed)
    return taken


def test_none_of_40_000_changed_bundles_is_accepted() -> None:
    assert accepted_mutants(40_000, seed=1) == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 110))
def test_none_of_a_million_changed_bundles_is_accepted(seed: int) -> None:
    assert accepted_mutants(100_000, seed=seed) == []


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_make_the_verifier_raise(data: bytes) -> None:
    assert not verify_bundle(data, keys=KEYS).valid


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
PARTS = ("disclosed", "dsse", "entry", "format", "proof", "stages")


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(PARTS), JSONISH)
def test_no_value_in_any_place_makes_the_verifier_raise(part: str, value: object) -> None:
    document = json.loads(MUTANTS_OF[0][0])
    if document[part] == value:
        return
    document[part] = value
    assert not verify_bundle(dump(document), keys=KEYS).valid


def test_deep_nesting_and_huge_numbers_are_refused_and_do_not_crash() -> None:
    assert refusal(b"[" * 100_000)
    assert refusal(b'{"a":' * 50_000)
    assert refusal(b'{"entry":' + b"9" * 10_000 + b"}")


def test_a_stage_of_another_run_is_refused() -> None:
    ours, theirs = LOG.bundle(0, stated=False), LOG.bundle(6, stated=False)
    stages = (*ours.stages[:5], theirs.stages[5], *ours.stages[6:])
    forged = replace(ours, stages=stages, disclosed=())
    assert "stage 5" in refusal(forged.data, require_statement=False)


def test_stages_that_fit_together_but_not_to_the_entry_are_refused() -> None:
    """The same run sealed again under other salts: every leaf is right, the root is not."""
    ours = LOG.bundle(0, stated=False)
    again = seal(LOG.sealed[0].run, run_id=LOG.sealed[0].run_id, salts=SALTS)
    disclosed = tuple(replace(d, salt=SALTS[d.ordinal]) for d in ours.disclosed)
    forged = replace(ours, stages=again.stages, disclosed=disclosed)
    assert "root" in refusal(forged.data, require_statement=False)


def test_a_proof_for_another_place_is_refused_even_if_it_leads_to_the_root() -> None:
    """In a log that repeats an entry, the repeated one is not where it says it is."""
    log = PaperLog()
    log.record(a_run())
    honest = log.entries[0]
    log.frontier, made = log.frontier.append(entry_hash(honest))
    log.nodes.update({(level, index): value for level, index, value in made})
    log.entries.append(honest)
    forged = replace(log.bundle(0, stated=False), proof=log.proof(1))
    reason = refusal(forged.data, keys=[log.signer.verifier], require_statement=False)
    assert "the proof is for entry 1" in reason


def test_disclosures_stand_in_order_and_once() -> None:
    bundle = LOG.bundle(0, stated=False)
    for wrong in (bundle.disclosed[::-1], (*bundle.disclosed, bundle.disclosed[-1])):
        reason = refusal(replace(bundle, disclosed=wrong).data, require_statement=False)
        assert "order of the stages" in reason


def test_the_entry_of_another_run_with_its_own_valid_proof_is_refused() -> None:
    ours, theirs = LOG.bundle(0, stated=False), LOG.bundle(6, stated=False)
    forged = replace(ours, entry=theirs.entry, proof=theirs.proof)
    assert "stage 0" in refusal(forged.data, require_statement=False)


def test_the_checkpoint_of_another_log_is_refused_even_with_both_keys() -> None:
    ours, theirs = LOG.bundle(0, stated=False), OTHER_LOG.bundle(0, stated=False)
    both = (*KEYS, OTHER_LOG.signer.verifier)
    forged = replace(ours, proof=theirs.proof)
    assert "not in the log" in refusal(forged.data, keys=both, require_statement=False)
    assert "no key for the log" in refusal(theirs.data, require_statement=False)


def test_a_log_that_lies_under_our_name_with_another_key_is_refused() -> None:
    impostor = PaperLog(key(ORIGIN, seed="impostor"))
    impostor.record(a_run())
    assert "known key" in refusal(impostor.bundle(0).data)
    bare = impostor.bundle(0, stated=False).data
    assert "no known key" in refusal(bare, require_statement=False)


def test_a_valid_entry_that_is_not_a_run_is_refused() -> None:
    log = a_log(2)
    seq = log.append(PolicyEntry(name="strict", policy=bytes(32), actor="me"))
    run = log.bundle(0, stated=False)
    forged = replace(run, entry=log.entries[seq], proof=log.proof(seq))
    assert "records a policy" in refusal(forged.data, require_statement=False)


def test_leaving_out_the_statement_is_a_downgrade_that_must_be_asked_for() -> None:
    stripped = replace(LOG.bundle(0), dsse=None)
    assert "no signed statement" in refusal(stripped.data)
    report = verify_bundle(stripped.data, keys=KEYS, require_statement=False)
    assert report.verified is not None
    assert not report.verified.stated


def test_withholding_a_disclosed_payload_breaks_the_statement() -> None:
    whole = LOG.bundle(0)
    narrowed = replace(whole, disclosed=whole.disclosed[:-1])
    assert "something else" in refusal(narrowed.data)


def test_a_profile_the_caller_does_not_accept_is_refused() -> None:
    assert "profile" in refusal(LOG.bundle(0).data, profiles=("fg0",))
    assert "profile" in refusal(LOG.bundle(0).data, profiles=())


def test_keys_come_from_the_caller_only() -> None:
    assert "no key" in refusal(LOG.bundle(0, stated=False).data, keys=(), require_statement=False)
    assert "not a known key" in refusal(LOG.bundle(0).data, keys=())


def forged_statement(bundle: Bundle, statement: dsse.LogStatement, signer_name: str) -> Bundle:
    envelope = dsse.sign(statement.data, [key(signer_name)])
    return replace(bundle, dsse=envelope.data)


def test_a_statement_by_a_stranger_or_about_another_file_is_refused() -> None:
    bundle = LOG.bundle(0)
    assert bundle.dsse is not None
    said = dsse.parse_statement(dsse.parse_envelope(bundle.dsse).payload)
    assert forged_statement(bundle, said, ORIGIN).data == bundle.data
    assert "not a known key" in refusal(forged_statement(bundle, said, "evil.example").data)
    for changed in (
        replace(said, label=(("step", "abstain"),)),
        replace(said, index=7),
        replace(said, size=12),
        replace(said, run=LOG.sealed[6].run_id),
        replace(said, subjects=(("answer/0", bytes(32)),)),
        replace(said, bundle=bytes(32)),
    ):
        assert "something else" in refusal(forged_statement(bundle, changed, ORIGIN).data)


def test_the_statement_of_another_bundle_of_the_same_run_is_refused() -> None:
    whole, part = LOG.bundle(0), LOG.bundle(0, ordinals=[5])
    assert "something else" in refusal(replace(whole, dsse=part.dsse).data)


def test_the_subject_is_the_sha256_of_the_disclosed_answer() -> None:
    bundle = LOG.bundle(3)
    assert bundle.dsse is not None
    said = dsse.parse_statement(dsse.parse_envelope(bundle.dsse).payload)
    answers = LOG.sealed[3].run.payloads(Stage.ANSWER)
    assert said.subjects == tuple(
        (f"answer/{i}", dsse.answer_digest(text)) for i, text in enumerate(answers)
    )


def test_a_witness_quorum_counts_different_keys_and_never_the_logs_own() -> None:
    data = LOG.bundle(0, W1).data
    own = VerifierKey(name="w9.example", public=KEYS[0].public, kind=W1.kind)
    assert "2 independent" in refusal(data, witnesses=[W1.verifier, W2.verifier], quorum=2)
    assert "1 independent" in refusal(data, witnesses=[W2.verifier], quorum=1)
    same = replace(LOG.signer, name="w9.example", kind=W1.kind)
    doubled = LOG.bundle(0, W1, same).data
    assert "2 independent" in refusal(doubled, witnesses=[W1.verifier, own], quorum=2)
    both = LOG.bundle(0, W1, W2).data
    report = verify_bundle(both, keys=KEYS, witnesses=[W1.verifier, W2.verifier], quorum=2)
    assert report.verified is not None
    assert [c.witness.name for c in report.verified.witnessed] == ["w1.example", "w2.example"]


def test_without_a_statement_a_line_by_an_unknown_key_is_refused() -> None:
    data = LOG.bundle(0, W1, stated=False).data
    assert "w1.example" in refusal(data, require_statement=False)
    report = verify_bundle(data, keys=KEYS, witnesses=[W1.verifier], require_statement=False)
    assert report.valid


def test_signature_lines_have_one_order_in_an_export() -> None:
    bundle = LOG.bundle(0, W2, W1, stated=False)
    lines = [line.split()[1] for line in bundle.proof.split("\n") if line.startswith("\u2014")]
    assert lines == [ORIGIN, "w1.example", "w2.example"]
    how = {"witnesses": [W1.verifier, W2.verifier], "quorum": 2, "require_statement": False}
    assert verify_bundle(bundle.data, keys=KEYS, **how).valid  # type: ignore[arg-type]
    *rest, first, second, end = bundle.proof.split("\n")
    swapped = "\n".join([*rest, second, first, end])
    assert "order" in refusal(replace(bundle, proof=swapped).data, **how)


def test_extra_data_in_the_proof_is_refused() -> None:
    bundle = LOG.bundle(0, stated=False)
    extra = bundle.proof.replace("\nindex", "\nextra AAAA\nindex", 1)
    assert "extra" in refusal(replace(bundle, proof=extra).data, require_statement=False)


def test_a_wrong_export_is_not_even_made() -> None:
    sealed = LOG.sealed[0]
    wrong = Disclosure(ordinal=0, salt=sealed.salts[0], payload=b"another question")
    beyond = Disclosure(ordinal=99, salt=sealed.salts[0], payload=b"")
    for item in (wrong, beyond):
        with pytest.raises(InputError, match="stage"):
            make_bundle(
                entry=LOG.entries[0],
                stages=sealed.stages,
                proof=LOG.proof(0),
                disclosed=[item],
            )


def test_a_bundle_read_and_written_again_is_the_same_bytes() -> None:
    for data, _ in MUTANTS_OF:
        assert parse_bundle(data).data == data


def test_attempts_are_told_apart_by_ordinal() -> None:
    log = PaperLog()
    attempts = (AttemptReason.FIRST, AttemptReason.REGENERATE, AttemptReason.REGENERATE)
    log.record(a_run(Shape.QUOTE, preflight=False, attempts=attempts))
    report = verify_bundle(log.bundle(0).data, keys=[log.signer.verifier])
    assert report.verified is not None
    answers = [i for i in report.verified.disclosed if i.stage is Stage.ANSWER]
    assert [(item.attempt, item.payload) for item in answers] == [
        (0, b"answer 0"),
        (1, b"answer 1"),
        (2, b"answer 2"),
    ]


def test_a_second_reader_written_from_the_page_agrees_on_good_and_bad_bundles() -> None:
    chance = random.Random(3)
    vkey = str(KEYS[0])
    goods = [LOG.bundle(seq).data for seq in range(11)] + [MUTANTS_OF[4][0], MUTANTS_OF[3][0]]
    for data in goods:
        assert verify_bundle(data, keys=KEYS).valid
        assert holds(data, vkey)
    for _ in range(1_500):
        changed = chance.choice(MUTATORS)(chance, chance.choice(goods), chance.choice(ORIGINALS))
        assert holds(changed, vkey) == verify_bundle(changed, keys=KEYS).valid


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
def test_a_second_reader_agrees_on_many_bundles(seed: int) -> None:
    chance = random.Random(seed)
    goods = [LOG.bundle(seq).data for seq in range(11)]
    for _ in range(5_000):
        changed = chance.choice(MUTATORS)(chance, chance.choice(goods), chance.choice(ORIGINALS))
        assert holds(changed, str(KEYS[0])) == verify_bundle(changed, keys=KEYS).valid


def test_a_bundle_is_checked_with_no_network_no_database_and_little_else(tmp_path: Path) -> None:
    path = tmp_path / "bundle"
    path.write_bytes(LOG.bundle(0).data)
    code = (
        "import sys\n"
        "for name in ('socket', 'sqlite3', 'apsw', 'asyncio', 'pydantic', 'rich', 'click'):\n"
        "    sys.modules[name] = None\n"
        "from firmground.ledger.bundle import verify_bundle\n"
        "from firmground.ledger.keys import parse_verifier\n"
        "data = open(sys.argv[1], 'rb').read()\n"
        "assert verify_bundle(data, keys=[parse_verifier(sys.argv[2])]).valid"
    )
    subprocess.run([sys.executable, "-c", code, str(path), str(KEYS[0])], check=True)


def test_a_file_of_a_million_small_values_is_refused_before_it_is_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed: list[int] = []
    real = parse_canonical

    def parse(data: bytes, *, max_bytes: int) -> Any:
        parsed.append(len(data))
        return real(data, max_bytes=max_bytes)

    monkeypatch.setattr(bundlefile, "parse", parse)
    for crowd in (b"[" + b"0," * 1_000_000 + b"0]", b"[" * 1_000_000, b'{"a":' * 1_000_000):
        assert "commas and brackets" in refusal(crowd)
    assert "more than" in refusal(b"0" * (bundlefile.MAX_BYTES + 1))
    assert parsed == []


def test_lists_longer_than_a_run_are_refused_before_their_items_are_read() -> None:
    document = json.loads(LOG.bundle(3).data)
    many = {**document, "stages": ["!"] * (bundlefile.MAX_STAGES + 1)}
    assert "at most" in refusal(canonical(many))
    again = {**document, "disclosed": ["!"] * (bundlefile.MAX_STAGES + 1)}
    assert "each disclosed once" in refusal(canonical(again))


def test_a_run_with_as_many_attempts_as_there_can_be_is_no_crowd() -> None:
    log = PaperLog()
    tries = (AttemptReason.FIRST, *[AttemptReason.REPLAN] * (MAX_ATTEMPTS - 1))
    log.record(a_run(Shape.POINTER, attempts=tries))
    report = verify_bundle(log.bundle(0).data, keys=[log.signer.verifier])
    assert report.valid, report.reasons


def test_a_quorum_counts_none_of_the_callers_own_keys() -> None:
    other = key("another.example/log")
    disguised = replace(other, name="w8.example", kind=W1.kind)
    data = LOG.bundle(0, W1, disguised).data
    watching = [W1.verifier, disguised.verifier]
    assert verify_bundle(data, keys=KEYS, witnesses=watching, quorum=2).valid
    keys = [*KEYS, other.verifier]
    assert "2 independent" in refusal(data, keys=keys, witnesses=watching, quorum=2)


def test_a_cosignature_from_the_future_is_not_counted() -> None:
    data = LOG.bundle(0, W1).data
    how = {"witnesses": [W1.verifier], "quorum": 1}
    seen = 1_700_000_000
    assert verify_bundle(data, keys=KEYS, now=seen - 86_400, **how).valid  # type: ignore[arg-type]
    assert "0 cosigned" in refusal(data, now=seen - 86_401, **how)
    report = verify_bundle(data, keys=KEYS, witnesses=[W1.verifier], now=0.0)
    assert report.verified is not None
    assert report.verified.witnessed == ()


def test_without_a_clock_the_machines_own_is_asked() -> None:
    late = LOG.checkpoint(W1, time=1 << 62)
    report = checkpoints.verify(late, keys=KEYS, witnesses=[W1.verifier], quorum=1)
    assert not report.valid


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> tuple[VerifierKey, list[Bundle]]:
    """Two runs with something kept beside their stages, and one without."""
    folder = tmp_path_factory.mktemp("beside")
    with a_ledger(folder, signer=a_signer(folder)) as ledger:
        runs = [
            ledger.record(open_run("one"), label=OPEN_LABEL, cache_key=b"k" * 32, compat=b"c" * 32),
            ledger.record(open_run("two"), label=OPEN_LABEL, cache_key=b"j" * 32),
            ledger.record(open_run("three"), label=OPEN_LABEL),
        ]
        bundles = [ledger.export(run.run_id, disclose=None, aside=True) for run in runs]
    return a_signer(folder).verifier, bundles


LOOSE: dict[str, Any] = {"require_statement": False, "profiles": ("fg1", "fg0")}
FORGED_ASIDES: dict[str, Callable[[Bundle, Bundle, Bundle], Bundle]] = {
    "of another run": lambda one, two, _: replace(
        one, disclosed=(*one.disclosed[:-1], two.disclosed[-1])
    ),
    "where none was recorded": lambda one, _, bare: replace(
        bare, disclosed=(*bare.disclosed, one.disclosed[-1])
    ),
    "twice": lambda one, *_: replace(
        one, disclosed=(*one.disclosed, replace(one.disclosed[-1], ordinal=9))
    ),
    "twice in one place": lambda one, *_: replace(
        one, disclosed=(*one.disclosed, one.disclosed[-1])
    ),
    "in a stage's place": lambda one, *_: replace(
        one, disclosed=(replace(one.disclosed[-1], ordinal=7),)
    ),
    "with a stage's payload": lambda one, *_: replace(
        one, disclosed=(replace(one.disclosed[0], ordinal=8),)
    ),
    "with a salt that hmac pads to the same": lambda one, *_: replace(
        one, disclosed=(replace(one.disclosed[-1], salt=one.disclosed[-1].salt + bytes(1)),)
    ),
}


@pytest.mark.parametrize("forged", FORGED_ASIDES)
def test_nothing_else_passes_for_what_is_kept_beside_the_stages(
    forged: str, beside: tuple[VerifierKey, list[Bundle]]
) -> None:
    signer, bundles = beside
    for honest in bundles:
        assert verify_bundle(replace(honest, dsse=None).data, keys=[signer], **LOOSE).valid
    made = FORGED_ASIDES[forged](*bundles)
    for each in (made, replace(made, dsse=None)):
        assert refusal(each.data, keys=[signer], **LOOSE)


def test_withholding_what_is_kept_beside_the_stages_breaks_the_statement(
    beside: tuple[VerifierKey, list[Bundle]],
) -> None:
    signer, (one, *_) = beside
    less = replace(one, disclosed=one.disclosed[:-1])
    assert "something else than this file" in refusal(less.data, keys=[signer])
    report = verify_bundle(replace(less, dsse=None).data, keys=[signer], **LOOSE)
    assert report.verified is not None
    assert (report.verified.cache_key, report.verified.compat_root) == (None, None)
