"""What is believed of a decision: every combination of what it may say, against the table."""

from itertools import product
from typing import Any

import pytest

from askproof.journal_judgement import judge

ABSENT: Any = object()

# The table of outcomes, written once more.
ROWS: list[tuple[Any, ...]] = [
    ("answered", False, "human", True),
    ("timed-out", True, "automatic", True),
    ("timed-out", True, "none", False),
    ("cancelled", False, "none", False),
    ("deferred", False, "none", False),
]
STATUSES = ["answered", "timed-out", "cancelled", "deferred"]
TIMED_OUT = [ABSENT, True, False, "false", "absent", 0, 1, None]
SOURCES = ["human", "automatic", "none", ABSENT, "Human", "absent", "", [], None]
ANSWERS = [ABSENT, "", "absent", {}, [], 0, False, None]


def fits(row: tuple[Any, ...], record: tuple[Any, ...]) -> bool:
    status, timed_out, source, answer = record
    return (
        status == row[0]
        and (timed_out is ABSENT or timed_out is row[1])
        and (source is ABSENT or source == row[2])
        and (type(answer) in (str, dict) if row[3] else answer is ABSENT)
    )


@pytest.mark.parametrize("status", STATUSES)
def test_every_combination(status: str) -> None:
    for timed_out, source, answer in product(TIMED_OUT, SOURCES, ANSWERS):
        said = {"timedOut": timed_out, "answerSource": source}
        metadata = {name: value for name, value in said.items() if value is not ABSENT}
        record = {"status": status, "answer": answer, "metadata": metadata}
        verdict = judge({name: value for name, value in record.items() if value is not ABSENT})
        consistent = any(fits(row, (status, timed_out, source, answer)) for row in ROWS)
        human = consistent and status == "answered" and source == "human"
        known = source in SOURCES[:3]
        assert verdict[:4] == (status, source if known else "unknown", human, consistent)
        looks = status == "answered" or source == "human"
        assert verdict.only_looks_human == (looks and not human)


@pytest.mark.parametrize("status", STATUSES)
def test_record_without_metadata(status: str) -> None:
    verdict = judge({"status": status, "answer": "yes"})
    assert verdict[:4] == (status, "unknown", False, status in ("answered", "timed-out"))


@pytest.mark.parametrize("metadata", [None, [], "human", 7])
def test_metadata_that_is_no_object(metadata: Any) -> None:
    verdict = judge({"status": "answered", "answer": "yes", "metadata": metadata})
    assert (verdict.by, verdict.human, verdict.consistent) == ("unknown", False, False)
