"""One pass over the words, so that most detectors never have to look at the text at all."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DIGIT = re.compile(r"\d")
_NOT_WORDS = {ord(c): " " for c in "!\"#$%&'()*+,./:;<=>?@[\\]^_`{|}~-–—’‘“”…\n\r\t"}


def word_set(text: str) -> frozenset[str]:
    """The words of a table that is kept as text, so that it can be read."""
    return frozenset(text.split())


OPERATIONS = word_set(
    """alarm alert alerts api attack attacks autoscaler availability backup backups bgp breach
    bridge broke broker cache cdn certificate checkout cloudwatch cluster console cpu crash
    crashed cron dark dashboard dashboards database databases datacenter dba ddos degradation
    degraded deploy deployed deployment devops disk disks displays dns down downtime engineer
    engineers error errors etcd failover failure failures faults firewall fleet gateway
    grafana healthy host hosts incident incidents index infrastructure intrusion kubectl
    kubernetes latency leak linux log logs mainframe malfunction memory metrics microservice
    migration monitoring network noc node nodes oncall operations outage outages overloaded
    p50 p95 p99 packet pager pagerduty panels phishing pipeline pod pods portal postmortem
    production prometheus queue queues quorum ransomware redis region regions relay release
    replica replicas replication requests responder rollback rollout root router scheduler
    server servers service services sev shell shift shop siem site sla soc sre station storage
    sysadmin system systems telemetry tenant terminal threads throughput tickets timeout
    timeouts traffic transactions uptime vm warehouse website"""
)


def ordered_words(text: str) -> list[str]:
    """The lower-cased words in order, without punctuation."""
    return _lower(text).translate(_NOT_WORDS).split()


def _lower(text: str) -> str:
    """Lower case of the same length; U+0130 is the one letter that would become two."""
    return text.replace("\u0130", "i").lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionText:
    """The text and the set of its lower-cased words."""

    text: str
    lower: str
    """The text in lower case; offsets are the same as in ``text``."""
    ordered: list[str]
    """The lower-cased words in order."""
    words: frozenset[str]
    operational: bool
    """True when it speaks of running systems."""
    asks: bool
    """True when it is a question about facts and not a task."""
    digits: bool
    """True when there is a digit in it."""

    @classmethod
    def at(cls, text: str) -> QuestionText:
        """Read the words once."""
        lower = _lower(text)
        ordered = lower.translate(_NOT_WORDS).split()
        words = frozenset(ordered)
        return cls(
            text=text,
            lower=lower,
            ordered=ordered,
            words=words,
            operational=not words.isdisjoint(OPERATIONS),
            asks=bool(ordered) and ordered[0] in QUESTION_WORDS and text.rstrip().endswith("?"),
            digits=_DIGIT.search(lower) is not None,
        )


QUESTION_WORDS = word_set(
    """what who whom whose which when where why how is are was were do does did can could should
    would has have"""
)
