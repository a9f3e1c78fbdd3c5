"""What does the built-in judge cost? Ratios and slopes of CPU time, in one run."""

from __future__ import annotations

import re
import sys
import time
from math import log
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from firmground.claims.prose import prose_claims
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.core.segment import sentences
from firmground.verify.judge import LexicalJudge

_PARTS = (
    "The council of {} approved {} million euros for the new harbour on {} May 2019. ",
    "Engineers from {} measured a depth of {} metres and called the result promising ({}). ",
    "Residents of {} complained about noise for {} weeks, according to report {}. ",
    "The ferry to {} carries {} cars and leaves at {}:30 every day. ",
)
_TOWNS = "Aldburg Brenwick Calder Dunmore Eastvale Fenholm Garrow Hexley Inverlea Jarrow".split()
_ANSWER = "The council of Calder approved 7 million euros. The ferry to Garrow carries 40 cars. "


def text_of(size: int) -> str:
    """Prose of about so many characters, no two sentences alike."""
    pieces: list[str] = []
    length = 0
    while length < size:
        at = len(pieces)
        piece = _PARTS[at % 4].format(_TOWNS[at % 10] + str(at // 40), at % 97, at % 24)
        pieces.append(piece)
        length += len(piece)
    return "".join(pieces)


def judged_seconds(answer: str, evidence: str) -> float:
    """CPU seconds of cutting, checking and scoring, the best of three."""
    best = float("inf")
    for attempt in range(3):
        # A fresh tail defeats the caches, which would otherwise answer the second time.
        text = evidence + f"Run {attempt} ended."
        started = time.process_time()
        LexicalJudge().examine(
            Inquiry(
                question=None,
                answer=answer,
                claims=prose_claims(answer),
                evidence=(Evidence(text=text),),
            )
        )
        best = min(best, time.process_time() - started)
    return best


def floor_seconds(text: str) -> float:
    """CPU seconds of sentence splitting plus one regex pass over the same text."""
    started = time.process_time()
    sentences(text)
    sum(1 for _ in re.finditer(r"\w+", text))
    return time.process_time() - started


def slopes(name: str, sizes: list[int], seconds: list[float]) -> None:
    print(f"{name}:")
    for at, (size, spent) in enumerate(zip(sizes, seconds, strict=True)):
        slope = ""
        if at:
            ratio = log(spent / seconds[at - 1]) / log(size / sizes[at - 1])
            slope = f"  slope {ratio:.2f}"
        print(f"  {size / 1000:7.0f} kB  {spent * 1e3:9.1f} ms{slope}")


def main() -> None:
    judged_seconds(_ANSWER, text_of(1000))
    sizes = [1_000 * 4**n for n in range(5)] + [1_000_000]
    slopes(
        "evidence grows, answer fixed", sizes, [judged_seconds(_ANSWER, text_of(s)) for s in sizes]
    )
    sizes = [1_000, 4_000, 16_000, 64_000]
    evidence = text_of(4_000)
    slopes(
        "answer grows, evidence fixed", sizes, [judged_seconds(text_of(s), evidence) for s in sizes]
    )
    answer, evidence = text_of(1_000), text_of(6_000)
    floor = floor_seconds(answer + evidence)
    whole = judged_seconds(answer, evidence)
    print(f"typical answer: {whole * 1e3:.0f} ms, {whole / floor:.0f} times the floor")


if __name__ == "__main__":
    main()
