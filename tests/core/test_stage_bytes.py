"""Writing a stage leaf down directly gives the canonical bytes, whatever the run is called."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from firmground.core.canon import Value, canonical
from firmground.core.run import PlannedStage, Stage, stage_bytes

HASHES = st.binary(min_size=32, max_size=32)


@given(
    stage=st.sampled_from(Stage),
    attempt=st.integers(0, 63),
    ordinal=st.integers(0, 500),
    run_id=st.uuids().map(str) | st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    commit=HASHES,
    parents=st.lists(HASHES.map(bytes.hex), max_size=5),
)
def test_the_direct_form_is_the_canonical_form(
    stage: Stage, attempt: int, ordinal: int, run_id: str, commit: bytes, parents: list[str]
) -> None:
    document: dict[str, Value] = {
        "v": "fg1", "stage": str(stage), "ord": ordinal, "attempt": attempt, "run": run_id,
        "commit": commit.hex(), "parents": list(parents),
    }  # fmt: skip
    planned = PlannedStage(stage, attempt, ())
    assert stage_bytes(planned, ordinal, run_id, commit, parents) == canonical(document)
