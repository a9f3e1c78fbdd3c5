"""The plan of a check from a policy, a judge, hooks and models."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext

from firmground.config.calibration import require_calibrated
from firmground.config.policies import named_policy
from firmground.config.settings import DEFAULT_JUDGE, DEFAULT_POLICY
from firmground.core.ports import Judge
from firmground.decide import Policy
from firmground.engine.consulting import consultation
from firmground.engine.judges import bound_judge, judge_name
from firmground.engine.model_checks import ModelChecks
from firmground.hooks import HookEngine
from firmground.pipeline.check import Around, CheckPlan, OffLoop, check_plan


def plan_for(
    *,
    policy: str | Policy = DEFAULT_POLICY,
    judge: Judge | str = DEFAULT_JUDGE,
    hooks: HookEngine | None = None,
    models: ModelChecks | None = None,
    prompt: str = "",
    off_loop: OffLoop = asyncio.to_thread,
    around: Around = nullcontext,
) -> CheckPlan:
    """Return the stages of a check under a policy; ``judge`` is a name or one of your own.

    ``models`` are asked about the answer after the judge has looked at it. ``prompt`` is the digest
    of the prompts the answers are written under, where they are known. ``around`` is entered around
    every stage.
    """
    rules = policy if isinstance(policy, Policy) else named_policy(policy)
    plan = check_plan(
        judge=bound_judge(judge),
        policy=rules,
        hooks=hooks,
        consult=consultation(models) if models else None,
        consulted=models.names if models else "",
        judges=[judge_name(one) for one in models.judges] if models else (),
        off_loop=off_loop,
        around=around,
    )
    require_calibrated(rules, judge=plan.judge, prompt=prompt)
    return plan
