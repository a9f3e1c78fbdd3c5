"""Decide recorded runs again under another policy; no model is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from firmground.adapters.stores import open_store
from firmground.compose import answer_prompts, template
from firmground.config.calibration import (
    calibrated_policy,
    load_calibration,
    require_calibrated,
)
from firmground.config.policies import load_policy, named_policy
from firmground.config.settings import DEFAULT_POLICY, Settings
from firmground.core.canon import parse
from firmground.core.decision import Decision, Step
from firmground.core.finding import Findings
from firmground.core.run import Shape, Stage
from firmground.decide import POLICIES, Policy, decide
from firmground.errors import InputError, LedgerError
from firmground.ledger.entry import RunEntry
from firmground.ledger.log import Log, StoredRun
from firmground.pipeline.record import LARGEST_PAYLOAD
from firmground.pipeline.resume import recorded_mode
from firmground.pipeline.revive import cut_off, findings_of, settled_findings
from firmground.verify.gsar import profile_for
from firmground.verify.support import rescored


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudged:
    """One recorded run under a policy; ``trouble`` says why it could not be judged."""

    run_id: str
    recorded: str
    """The decision that was recorded, as the log states it."""
    decision: Decision | None
    trouble: str = ""

    @property
    def changed(self) -> bool:
        """True when the policy would have decided otherwise."""
        return self.decision is not None and self.decision.step.label != self.recorded


def find_policy(
    name: str | None,
    *,
    settings: Settings | None = None,
    calibration: str | None = None,
    group: str = "",
) -> Policy:
    """A policy by its name or by the path of a TOML file, under a calibration if one is named.

    Without a name it is the policy of ``settings``, or else the default one.
    """
    stated = settings.policy if settings is not None else DEFAULT_POLICY
    chosen = stated if name is None else name
    known = chosen if isinstance(chosen, Policy) else _named(chosen)
    if calibration is None:
        return known
    artefact = load_calibration(calibration)
    try:
        return calibrated_policy(known, artefact, group=group)
    except InputError as error:
        raise InputError(f"{calibration}: {error}") from None


def _named(name: str) -> Policy:
    if name in POLICIES:
        return POLICIES[name]
    return load_policy(name) if Path(name).suffix or Path(name).exists() else named_policy(name)


def open_log(path: Path | str) -> Log:
    """Open a log for reading: nothing is made or migrated, and a missing one is an error."""
    return Log(open_store(path, create=False))


def rejudge(stored: StoredRun, policy: Policy) -> Rejudged:
    """Decide a recorded run again from its recorded findings."""
    label = dict(stored.body.label)
    recorded = label.get("decision", "unknown")
    try:
        if stored.body.shape is Shape.REJECT:
            return Rejudged(
                run_id=stored.body.run,
                recorded=recorded,
                decision=None,
                trouble="the question was rejected; there is no answer to judge",
            )
        findings = _findings(stored, policy)
    except (LedgerError, InputError) as error:  # erased, cut off, or not as we write it
        return Rejudged(
            run_id=stored.body.run, recorded=recorded, decision=None, trouble=str(error)
        )
    return Rejudged(run_id=stored.body.run, recorded=recorded, decision=decide(findings, policy))


def _findings(stored: StoredRun, policy: Policy) -> Findings:
    """What the recorded decision was made from; refused to a threshold calibrated elsewhere."""
    label = stored.payload(Stage.FINAL_LABEL)
    best = _best(label)
    payload = stored.payload(Stage.VERIFY, attempt=best)
    if ended := cut_off(payload, label):
        raise InputError(f"the run came to no answer that was looked at: {ended}")
    found = _rescored(settled_findings(findings_of(payload), label), stored, best, policy)
    judge = parse(payload, max_bytes=LARGEST_PAYLOAD).get("judge", "")
    require_calibrated(policy, judge=str(judge), prompt=_prompts(stored, best))
    return found


def _rescored(found: Findings, stored: StoredRun, best: int, policy: Policy) -> Findings:
    """The same findings, their support scored as this policy says."""
    profile, scored = profile_for(policy.scoring), found.support
    if scored is None or (profile.name, profile.weights) == (scored.profile, scored.weights):
        return found
    searched = [
        kept.planned.attempt
        for kept in stored.stages
        if kept.planned.stage is Stage.RETRIEVAL and kept.planned.attempt <= best
    ]
    payload = stored.payload(Stage.RETRIEVAL, attempt=max(searched))
    listed = parse(payload, max_bytes=LARGEST_PAYLOAD)
    support = rescored(
        scored,
        found.assessments,
        profile,
        evidence_ids={piece["id"] for piece in listed["evidence"]},
        criticality=policy.criticality,
    )
    return replace(found, support=support)


def _prompts(stored: StoredRun, best: int) -> str:
    """The prompts an answer was written under: ours, none that is known, or others."""
    used: dict[str, str] = {}
    for attempt in range(best + 1):
        made = parse(stored.payload(Stage.PROMPT, attempt=attempt), max_bytes=LARGEST_PAYLOAD)
        if not made.get("known"):
            return ""
        listed = made["made"].get("prompts", ()) if isinstance(made["made"], dict) else ()
        used |= dict(listed)
    if not all(_ours(name, digest) for name, digest in used.items()):
        return "of another version"
    mode = recorded_mode(stored)
    return answer_prompts(str(mode) if mode.points else "")


def _ours(name: str, digest: str) -> bool:
    try:
        return template(name).digest == digest
    except InputError:  # a prompt that this version does not have
        return False


def _best(label: bytes) -> int:
    """Which attempt the recorded decision was about; a check has only one."""
    document = parse(label, max_bytes=LARGEST_PAYLOAD)
    best = document.get("best", 0) if isinstance(document, dict) else 0
    if isinstance(best, bool) or not isinstance(best, int) or best < 0:
        raise InputError(f"the record names no attempt as its best: {best!r}")
    return best


def recorded_runs(log: Log) -> Iterator[StoredRun]:
    """Every run of a log, oldest first."""
    for row in log.reader.entries(0, log.size()):
        if isinstance(log.entry(row.seq).body, RunEntry):
            yield log.run_at(row.seq)


def tally(judged: Iterable[Rejudged]) -> dict[tuple[str, str], int]:
    """How many runs went from which recorded decision to which new one."""
    counted: dict[tuple[str, str], int] = {}
    for one in judged:
        now = one.decision.step.label if one.decision else "could_not_judge"
        counted[one.recorded, now] = counted.get((one.recorded, now), 0) + 1
    return dict(sorted(counted.items()))


def stricter(one: Rejudged) -> bool | None:
    """True when the new decision is harsher, False when milder, None when equal or unknown."""
    labels = {step.label: step for step in Step}
    if one.decision is None or one.recorded not in labels or not one.changed:
        return None
    return one.decision.step > labels[one.recorded]
