"""What may be believed about a decision: its outcome, by whom it was made, and whether it fits.

Tests: `tests/test_reference_reader.py`, and the cases for `journal-reader`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from askproof_reference.records import Record

SOURCES = ("human", "automatic", "none")
UNKNOWN = "unknown"


class Row(NamedTuple):
    """A row of the table of outcomes: what a consistent record says."""

    status: str
    timed_out: bool
    answer_source: str
    has_answer: bool


ROWS = (
    Row("answered", timed_out=False, answer_source="human", has_answer=True),
    Row("timed-out", timed_out=True, answer_source="automatic", has_answer=True),
    Row("timed-out", timed_out=True, answer_source="none", has_answer=False),
    Row("cancelled", timed_out=False, answer_source="none", has_answer=False),
    Row("deferred", timed_out=False, answer_source="none", has_answer=False),
)
STATUSES = tuple(row.status for row in ROWS)


@dataclass(frozen=True)
class Decision:
    """A decision as it was written down; members that nobody knows have no say (JRN-082).

    Attributes:
        line: the number of its line, from one.
        payload: exactly what is written, an object with one of the statuses (JRN-080).
    """

    line: int
    payload: Record

    def outcome(self) -> str:
        """What happened: the status (JRN-083)."""
        status: str = self.payload["status"]
        return status

    def by(self) -> str:
        """Who made it: one of the sources, or `unknown` (JRN-084)."""
        metadata = self.payload.get("metadata")
        source = metadata.get("answerSource") if isinstance(metadata, dict) else None
        return source if source in SOURCES else UNKNOWN

    def is_human(self) -> bool:
        """Whether it is an explicit human answer (JRN-085 to JRN-088).

        A consistent record with status `answered` has no `timedOut` that is true.
        """
        return self.is_consistent() and self.outcome() == "answered" and self.by() == "human"

    def is_consistent(self) -> bool:
        """Whether it fits a row of the table (JRN-088)."""
        return any(self.fits(row) for row in ROWS)

    def fits(self, row: Row) -> bool:
        """Whether nothing in it contradicts a row."""
        return self.outcome() == row.status and self.fits_answer(row) and self.fits_provenance(row)

    def fits_answer(self, row: Row) -> bool:
        """Whether an answer is there where the row has one; what is no answer fits nowhere."""
        if "answer" not in self.payload:
            return not row.has_answer
        return row.has_answer and isinstance(self.payload["answer"], str | dict)

    def fits_provenance(self, row: Row) -> bool:
        """Whether the metadata say what the row does, as far as they say anything (JRN-081)."""
        metadata = self.payload.get("metadata", {})
        return (
            isinstance(metadata, dict)
            # By identity, since a number is no boolean.
            and metadata.get("timedOut", row.timed_out) is row.timed_out
            and metadata.get("answerSource", row.answer_source) == row.answer_source
        )
