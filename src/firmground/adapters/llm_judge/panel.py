"""Several judges: their combined verdict, their agreement, and an interval of the score."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from firmground.adapters.llm_judge.judge import (
    JudgeReport,
    LlmJudge,
    assessment_from,
    prompt_remark,
    with_said,
)
from firmground.core.claim import Assessment, Claim
from firmground.core.family import family_of
from firmground.core.ports import Inquiry, Model
from firmground.errors import ConfigError
from firmground.verify.gsar import HARDENED, GSARProfile, partition_of

_DRAWS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelReport:
    """What a panel found."""

    assessments: tuple[Assessment, ...]
    reports: tuple[JudgeReport, ...]
    agreement: float | None
    """Share of (claim, pair of judges) on which both have an opinion and it is the same."""
    score: float
    """The support score of the panel's joint standing."""
    scores: tuple[float, ...]
    """The support score of each judge alone."""
    interval: tuple[float, float]
    """95 % interval of the panel's score when judges and claims are resampled."""
    families: tuple[str, ...]


class JudgePanel:
    """Implements the port ``Judge`` with several judges, best of several families."""

    def __init__(self, judges: Sequence[LlmJudge], *, profile: GSARProfile = HARDENED) -> None:
        if not judges:
            raise ConfigError("a panel needs at least one judge")
        self.judges = tuple(judges)
        self.profile = profile

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        """Return one assessment for each claim, in order."""
        return (await self.report(inquiry)).assessments

    async def report(self, inquiry: Inquiry) -> PanelReport:
        """Ask all judges side by side and put their opinions together."""
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(judge.report(inquiry)) for judge in self.judges]
        except ExceptionGroup as several:  # a defect, not a failed call: raised as it is
            raise several.exceptions[0] from None
        reports = tuple(task.result() for task in tasks)
        everyone = range(len(reports))
        joint = joint_assessments(inquiry.claims, reports, everyone)
        return PanelReport(
            assessments=with_said(joint, [note for one in reports for note in one.said]),
            reports=reports,
            agreement=_agreement(reports),
            score=self._score(joint),
            scores=tuple(
                self._score(joint_assessments(inquiry.claims, reports, [j])) for j in everyone
            ),
            interval=self._interval(inquiry.claims, reports),
            families=tuple(dict.fromkeys(judge.family for judge in self.judges)),
        )

    def _score(self, assessments: Sequence[Assessment]) -> float:
        return self.profile.score(partition_of(assessments))

    def _interval(
        self, claims: Sequence[Claim], reports: Sequence[JudgeReport]
    ) -> tuple[float, float]:
        """Percentiles over draws of judges and claims, with a fixed seed."""
        if not claims:
            return (0.0, 1.0)
        draw = random.Random(0)  # noqa: S311 - resampling, not secrecy
        scores = []
        for _ in range(_DRAWS):
            judges = draw.choices(range(len(reports)), k=len(reports))
            joint = joint_assessments(claims, reports, judges)
            scores.append(self._score(draw.choices(joint, k=len(joint))))
        scores.sort()
        return scores[round(0.025 * (_DRAWS - 1))], scores[round(0.975 * (_DRAWS - 1))]


def judges_for(
    models: Sequence[tuple[str, Model]], *, generator: str | None, count: int = 3, seed: int = 0
) -> tuple[LlmJudge, ...]:
    """Judges out of the models at hand: other families than the generator's first, each once.

    Only when no other family is there does the generator's own judge, and its notes say so.
    """
    if not models:
        raise ConfigError("there is no model that could judge")
    own = family_of(generator) if generator else None
    foreign = [one for one in models if family_of(one[0]) != own]
    chosen: dict[str, tuple[str, Model]] = {}
    for name, model in foreign or models:
        chosen.setdefault(family_of(name), (name, model))
    return tuple(
        LlmJudge(model, name=name, generator=generator, seed=seed)
        for name, model in list(chosen.values())[:count]
    )


def joint_assessments(
    claims: Sequence[Claim], reports: Sequence[JudgeReport], judges: Sequence[int]
) -> tuple[Assessment, ...]:
    """What these judges hold of each claim together."""
    said = tuple(dict.fromkeys(one for j in judges for one in reports[j].remarks))
    remarks = (*said, prompt_remark())
    return tuple(
        assessment_from(
            claim,
            [(reports[j].judge, reports[j].opinions[position]) for j in judges],
            remarks=remarks,
        )
        for position, claim in enumerate(claims)
    )


def _agreement(reports: Sequence[JudgeReport]) -> float | None:
    same = [
        a.standing is b.standing
        for first, second in combinations(reports, 2)
        for a, b in zip(first.opinions, second.opinions, strict=True)
        if a.given and b.given
    ]
    return fmean(same) if same else None
