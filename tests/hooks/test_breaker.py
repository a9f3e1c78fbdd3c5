"""The breaker counts faults and nothing else."""

from __future__ import annotations

import math
import random
import threading
from collections import Counter
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.errors import InputError
from firmground.hooks import BreakerPolicy, Breakers, Circuit
from firmground.hooks.breaker import NOT_AN_OUTAGE, CallPermit

YES = HookReply(source="h", passed=True, message="")
NO = HookReply(source="h", passed=False, message="")
DOWN = Fault(source="h", kind=FaultKind.UNREACHABLE)
OUTAGES = [kind for kind in FaultKind if kind not in NOT_AN_OUTAGE]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def _broken(clock: Clock) -> Breakers:
    breakers = Breakers(BreakerPolicy(threshold=3, cool_down_seconds=10), clock=clock)
    for _ in range(3):
        breakers.record("t", breakers.admit("t"), DOWN)
    return breakers


def test_three_honest_refusals_never_hide_the_next_hook() -> None:
    breakers = Breakers()
    for _ in range(50):
        admission = breakers.admit("t")
        assert admission.admitted
        breakers.record("t", admission, NO)
    assert breakers.state("t").circuit is Circuit.CLOSED


def test_three_faults_in_a_row_open_it_and_a_refusal_between_does_not() -> None:
    breakers = Breakers()
    for outcome in (DOWN, DOWN, NO, DOWN, DOWN):
        breakers.record("t", breakers.admit("t"), outcome)
    assert breakers.state("t").circuit is Circuit.CLOSED
    breakers.record("t", breakers.admit("t"), DOWN)
    assert breakers.state("t").circuit is Circuit.OPEN
    assert not breakers.admit("t").admitted


def test_one_target_says_nothing_about_another() -> None:
    breakers = _broken(Clock())
    assert breakers.admit("other").admitted


def test_after_the_cool_down_exactly_one_probe_goes_out() -> None:
    clock = Clock()
    breakers = _broken(clock)
    clock.now = 9.99
    assert not breakers.admit("t").admitted
    clock.now = 10.0
    first, second = breakers.admit("t"), breakers.admit("t")
    assert (first.admitted, first.probe, second.admitted) == (True, True, False)


def test_a_probe_that_is_answered_closes_it_even_with_a_refusal() -> None:
    clock = Clock()
    breakers = _broken(clock)
    clock.now = 10.0
    breakers.record("t", breakers.admit("t"), NO)
    assert breakers.state("t").circuit is Circuit.CLOSED


def test_a_probe_that_faults_opens_it_for_another_cool_down() -> None:
    clock = Clock()
    breakers = _broken(clock)
    clock.now = 10.0
    breakers.record("t", breakers.admit("t"), DOWN)
    clock.now = 19.9
    assert not breakers.admit("t").admitted
    clock.now = 20.0
    assert breakers.admit("t").probe


def test_a_late_answer_to_an_old_call_does_not_close_it() -> None:
    breakers = Breakers(clock=Clock())
    late = breakers.admit("t")
    for _ in range(3):
        breakers.record("t", breakers.admit("t"), DOWN)
    breakers.record("t", late, YES)
    assert breakers.state("t").circuit is Circuit.OPEN


def test_a_probe_that_was_called_off_leaves_room_for_the_next() -> None:
    clock = Clock()
    breakers = _broken(clock)
    clock.now = 10.0
    breakers.record("t", breakers.admit("t"), None)
    assert breakers.admit("t").probe


def test_a_wrong_configuration_is_not_an_outage() -> None:
    breakers = Breakers()
    for kind in NOT_AN_OUTAGE:
        for _ in range(5):
            breakers.record("t", breakers.admit("t"), Fault(source="t", kind=kind))
    assert breakers.state("t").circuit is Circuit.CLOSED


def test_its_state_can_be_seen() -> None:
    breakers = _broken(Clock())
    breakers.admit("a")
    assert [(t, s.circuit.value, s.faults) for t, s in breakers.snapshot()] == [
        ("a", "closed", 0),
        ("t", "open", 3),
    ]
    assert "3 times in a row" in breakers.why_held_back("t")


@pytest.mark.parametrize(
    "wrong",
    [
        {"threshold": 0},
        {"cool_down_seconds": 0.0},
        {"cool_down_seconds": math.nan},
        {"cool_down_seconds": math.inf},
    ],
)
def test_a_policy_that_never_or_always_opens_is_an_error(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="breaker"):
        BreakerPolicy(**wrong)


def test_two_threads_at_once_send_one_probe() -> None:
    """The clock is read between looking and deciding: there a second thread gets its chance."""
    admitted: list[CallPermit] = []
    done = threading.Event()

    def second() -> None:
        admitted.append(breakers.admit("t"))
        done.set()

    def clock() -> float:
        if armed:
            armed.clear()
            thread.start()
            done.wait(0.3)
        return 100.0

    armed: list[int] = []
    thread = threading.Thread(target=second)
    breakers = Breakers(BreakerPolicy(threshold=1, cool_down_seconds=1), clock=clock)
    breakers.record("t", breakers.admit("t"), DOWN)
    breakers._clock = lambda: 200.0 + clock()
    armed.append(1)
    admitted.append(breakers.admit("t"))
    thread.join()
    assert sorted(a.probe for a in admitted) == [False, True]


class BreakerMachine(RuleBasedStateMachine):
    """Against a model kept in plain words: a list of what happened since the last answer."""

    calls = Bundle("calls")

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.breakers = Breakers(BreakerPolicy(threshold=3, cool_down_seconds=5), clock=self.clock)
        self.row = 0
        self.shut_since: float | None = None
        self.probing = False

    @rule(target=calls)
    def ask(self) -> tuple[CallPermit, bool]:
        admission = self.breakers.admit("t")
        if self.shut_since is None:
            assert admission == CallPermit(admitted=True)
        elif self.clock.now - self.shut_since >= 5 and not self.probing:
            assert admission == CallPermit(admitted=True, probe=True)
            self.probing = True
        else:
            assert admission == CallPermit(admitted=False)
        return admission, admission.admitted

    @rule(call=consumes(calls), outcome=st.sampled_from([YES, NO]))
    def answer(self, call: tuple[CallPermit, bool], outcome: HookReply) -> None:
        admission, admitted = call
        if not admitted:
            return
        self.breakers.record("t", admission, outcome)
        if admission.probe or self.shut_since is None:
            self.row, self.shut_since = 0, None
        if admission.probe:
            self.probing = False

    @rule(call=consumes(calls), kind=st.sampled_from(OUTAGES))
    def fail(self, call: tuple[CallPermit, bool], kind: FaultKind) -> None:
        admission, admitted = call
        if not admitted:
            return
        self.breakers.record("t", admission, Fault(source="t", kind=kind))
        if admission.probe:
            self.probing, self.shut_since = False, self.clock.now
            self.row += 1
        elif self.shut_since is None:
            self.row += 1
            if self.row >= 3:
                self.shut_since = self.clock.now

    @rule(call=consumes(calls))
    def call_off(self, call: tuple[CallPermit, bool]) -> None:
        admission, admitted = call
        if admitted:
            self.breakers.record("t", admission, None)
            if admission.probe:
                self.probing = False

    @rule(seconds=st.sampled_from([0.5, 1.0, 2.5, 5.0, 60.0]))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @invariant()
    def agree(self) -> None:
        state = self.breakers.state("t")
        if self.shut_since is None:
            assert state.circuit is Circuit.CLOSED
        else:
            assert state.circuit is (Circuit.HALF_OPEN if self.probing else Circuit.OPEN)
        assert state.faults == self.row


BreakerMachine.TestCase.settings = settings(max_examples=50, stateful_step_count=60, deadline=None)
TestBreakerAgainstItsModel = BreakerMachine.TestCase


def _walk(steps: int, seed: int) -> Counter[Circuit]:
    """Many steps of one long life, checked against the model after each."""
    chance = random.Random(seed)
    machine = BreakerMachine()
    open_calls: list[Any] = []
    seen: Counter[Circuit] = Counter()
    for _ in range(steps):
        step = chance.randrange(6)
        if step < 2 or (step < 5 and not open_calls):
            open_calls.append(machine.ask())
        elif step == 5:
            machine.wait(chance.choice([0.5, 1.0, 2.5, 5.0, 60.0]))
        else:
            call = open_calls.pop(chance.randrange(len(open_calls)))
            if step == 2:
                machine.answer(call, chance.choice([YES, NO]))
            elif step == 3:
                machine.fail(call, chance.choice(OUTAGES))
            else:
                machine.call_off(call)
        machine.agree()
        seen[machine.breakers.state("t").circuit] += 1
    return seen


@pytest.mark.parametrize("seed", range(4))
def test_five_thousand_steps_of_one_life_agree_with_the_model(seed: int) -> None:
    seen = _walk(5_000, seed)
    assert min(seen[circuit] for circuit in Circuit) > 100, "a state was hardly visited"


@pytest.mark.soak
def test_a_million_steps_agree_with_the_model() -> None:
    assert sum(_walk(1_000_000, 99).values()) == 1_000_000
