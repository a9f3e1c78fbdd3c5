"""A policy of one's own is checked to the last key."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmground.config.policies import load_policy
from firmground.core.decision import Step
from firmground.decide import POLICIES, Policy
from firmground.decide.rules import Disagreement
from firmground.errors import ConfigError


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "clinic.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_policy_starts_from_a_named_one_and_changes_what_it_names(tmp_path: Path) -> None:
    policy = load_policy(
        written(
            tmp_path,
            '[policy]\nname="clinic"\nbase="strict"\nwaive=["stale_evidence"]\n'
            '[policy.rules.thin_support]\nproceed=0.95\n[policy.rules.contradiction]\nstep="abstain"\n',
        )
    )
    rules = {rule.name: rule for rule in policy.rules}
    assert policy.name == "clinic"
    assert policy.waived == ("stale_evidence",)
    assert rules["thin_support"].proceed == 0.95  # type: ignore[attr-defined]
    assert rules["thin_support"].regenerate == 0.75  # type: ignore[attr-defined]
    assert rules["contradiction"].step is Step.ABSTAIN  # type: ignore[attr-defined]
    assert policy.digest != POLICIES["strict"].digest


def test_a_policy_that_changes_nothing_has_the_digest_of_its_base(tmp_path: Path) -> None:
    policy = load_policy(written(tmp_path, '[policy]\nbase="strict"\n'))
    assert policy.digest == POLICIES["strict"].digest


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[other]\n", "policy: this table is missing"),
        ('[policy]\nbase="lax"\n', "policy.base"),
        ("[policy]\ncolour=1\n", "policy.colour"),
        ("[policy.rules.contradicton]\n", "policy.rules.contradicton"),
        ("[policy.rules.contradiction]\nstepp=1\n", "policy.rules.contradiction.stepp"),
        ('[policy.rules.contradiction]\nstep="maybe"\n', "policy.rules.contradiction.step"),
        ('[policy.rules.contradiction]\nstep="proceed"\n', "policy.rules.contradiction"),
        ("[policy.rules.thin_support]\nproceed=2.0\n", "policy.rules.thin_support"),
        ('[policy.rules.thin_support]\nproceed="high"\n', "policy.rules.thin_support.proceed"),
        ("[policy.rules.thin_support]\nproceed=true\n", "policy.rules.thin_support.proceed"),
        ('[policy]\nwaive=["nothing"]\n', "waives rules it does not have"),
        ('[policy]\nwaive="all"\n', "policy.waive"),
        ('[policy]\nbase="none"\n', "no rules"),
        ("[policy\n", "is not TOML"),
    ],
)
def test_a_mistake_is_an_error_that_names_file_and_key(
    tmp_path: Path, text: str, names: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_policy(written(tmp_path, text))
    assert "clinic.toml" in str(caught.value)
    assert names in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml"):
        load_policy(tmp_path / "nowhere.toml")


def test_how_many_claims_may_be_disputed_can_be_set_and_must_be_a_whole_number(
    tmp_path: Path,
) -> None:
    file = tmp_path / "p.toml"

    def policy(value: str) -> Policy:
        table = '[policy]\nname = "x"\nbase = "balanced"\n[policy.rules.disagreement]\n'
        file.write_text(f"{table}tolerated = {value}\n")
        return load_policy(file)

    (rule,) = [r for r in policy("3").rules if isinstance(r, Disagreement)]
    assert rule.tolerated == 3
    for wrong in ("-5", "1.5", "true", "nan", '"3"'):
        with pytest.raises(ConfigError, match="tolerated"):
            policy(wrong)
