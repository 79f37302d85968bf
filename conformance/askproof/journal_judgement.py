"""What may be believed of a decision that somebody has written down (JRN-083 to JRN-088)."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

SOURCES = ("human", "automatic", "none")
UNKNOWN = "unknown"

_GONE = object()
_ABSENT, _WRONG, _THERE = "absent", "wrong", "there"

# Status, timedOut, answerSource and answer: the table of outcomes.
_ROWS = (
    ("answered", "false", "human", _THERE),
    ("timed-out", "true", "automatic", _THERE),
    ("timed-out", "true", "none", _ABSENT),
    ("cancelled", "false", "none", _ABSENT),
    ("deferred", "false", "none", _ABSENT),
)


class Judgement(NamedTuple):
    """What a record says, and whether that can be believed."""

    outcome: str
    by: str  # `human`, `automatic`, `none` or `unknown`
    human: bool  # an explicit human answer
    consistent: bool  # it fits a row of the table of outcomes
    said: str  # in words, with nothing of the answer

    @property
    def only_looks_human(self) -> bool:
        """Whether a hasty reader would take it for the answer of a human, which it is not."""
        return not self.human and (self.outcome == "answered" or self.by == "human")


def judge(decision: dict[str, Any]) -> Judgement:
    """Judge the payload of a decision, which has a known status."""
    metadata = decision.get("metadata", {})
    timed_out = source = _WRONG
    if isinstance(metadata, dict):
        timed_out = _timed_out(metadata.get("timedOut", _GONE))
        source = _source(metadata.get("answerSource", _GONE))
    return _judged(decision["status"], timed_out, source, _answer(decision.get("answer", _GONE)))


def _timed_out(value: object) -> str:
    if value is _GONE:
        return _ABSENT
    return "true" if value is True else "false" if value is False else _WRONG


def _source(value: object) -> str:
    if value is _GONE:
        return _ABSENT
    return value if isinstance(value, str) and value in SOURCES else _WRONG


def _answer(value: object) -> str:
    if value is _GONE:
        return _ABSENT
    return _THERE if isinstance(value, str | dict) else _WRONG


@cache
def _judged(status: str, timed_out: str, source: str, answer: str) -> Judgement:
    consistent = any(
        status == row_status
        and timed_out in (row_timed_out, _ABSENT)
        and source in (row_source, _ABSENT)
        and answer == row_answer
        for row_status, row_timed_out, row_source, row_answer in _ROWS
    )
    by = source if source in SOURCES else UNKNOWN
    human = consistent and status == "answered" and by == "human"
    said = f"status {status}, timedOut {timed_out}, answerSource {source}, answer {answer}"
    return Judgement(status, by, human, consistent, said)
