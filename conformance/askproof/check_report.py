"""How `askproof check` tells what it finds: in words, or as JSON Lines."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from askproof import results
from askproof.check_findings import Finding
from askproof.check_journal import JournalSummary, LineFinding
from askproof.journal_judgement import SOURCES, UNKNOWN
from askproof.journal_lines import SESSION, STATUSES

if TYPE_CHECKING:
    from askproof.check import Summary
    from askproof.check_secrets import Secrets
    from askproof.progress import Progress


class Report:
    """Tells what is found in a file, and counts it.

    Attributes:
        file: its name, as it is shown.
        found: how many findings there were, without the notes.
    """

    def __init__(self, file: str, secrets: Secrets, progress: Progress, *, as_json: bool) -> None:
        """Take what must not be shown, and the line that is in the way on a terminal."""
        self.file = file
        self.found = 0
        self._secrets = secrets
        self._progress = progress
        self._as_json = as_json

    def tell(self, finding: Finding | LineFinding) -> None:
        """One finding, or a note."""
        members = {name: self._hidden(value) for name, value in vars(finding).items()}
        note = members.pop("note", False)
        self.found += not note
        if self._as_json:
            self._write(results.line({"type": "note" if note else "finding", **members}))
        elif isinstance(finding, LineFinding):
            self._write(_of_line(LineFinding(**members, note=note)) + "\n")
        else:
            self._write(_of_log(Finding(**members)) + "\n")

    def end_of_log(self, summary: Summary, *, several: bool) -> None:
        """What a log held; `several` namespaces have malformed events."""
        notes = [_proves_nothing(summary)] * bool(summary.receipts)
        notes += ["--namespace PREFIX checks the events of one host"] * several
        note = {"note": "; ".join(notes)} if notes else {}
        self._end({**asdict(summary), **note}, [_end_of_log(self.found, summary), *notes])

    def end_of_journal(self, summary: JournalSummary) -> None:
        """What a journal held, unless it was refused."""
        if summary.refused:
            refusal = f"refused for line {summary.refused}: strictly, no line may be bad (JRN-095)"
            self._end({"form": summary.form, "refused": summary.refused}, [refusal])
        else:
            self._end(_record(summary), _end_of_journal(self.found, summary))

    def _end(self, summary: dict[str, Any], lines: list[str]) -> None:
        if self._as_json:
            self._write(results.line({"type": "summary", "file": self.file, **summary}))
        else:
            for line in lines:
                self._write(f"{self.file}: {self._hidden(line)}\n")

    def _hidden(self, value: Any) -> Any:
        return self._secrets.hide(value) if isinstance(value, str) else value

    def _write(self, text: str) -> None:
        self._progress.clear()
        sys.stdout.write(text)


def _of_line(finding: LineFinding) -> str:
    at = f"{finding.file}:{finding.line}: byte {finding.offset}"
    return f"{at}: {'note: ' * finding.note}{finding.rule}: {finding.message}"


def _of_log(finding: Finding) -> str:
    at = f" at {finding.pointer}" if finding.pointer else ""
    channel = f" {finding.channel}" if finding.channel else ""
    hint = f" ({finding.hint})" if finding.hint else ""
    return f"{finding.file}:{finding.line}: {finding.rule}{channel}: {finding.message}{at}{hint}"


def _end_of_log(found: int, summary: Summary) -> str:
    held = [_count(summary.events, "ask event")] * bool(summary.events)
    held += [_count(summary.receipts, "receipt")] * bool(summary.receipts)
    if not held and summary.left_out:
        others = ", ".join(summary.left_out)
        return f"nothing to check: its ask events are of other namespaces: {others}"
    if not held:
        return "nothing to check: it holds no ask events, no receipts and no decisions"
    open_flows = f", {summary.open} still open at the end" if summary.open else ""
    return f"{_findings(found)} in {' and '.join(held)}{open_flows}"


def _proves_nothing(summary: Summary) -> str:
    some = "" if summary.valid_receipts == summary.receipts else f", {summary.valid_receipts}"
    proves = "which proves nothing, since a serialized receipt is no evidence (RCP-061)"
    return f"{_count(summary.receipts, 'receipt')}{some} of valid shape, {proves}"


def _record(summary: JournalSummary) -> dict[str, Any]:
    outcomes = {status: _by_source(summary, status) for status in STATUSES}
    return {**asdict(summary), "decisions": summary.outcomes.total(), "outcomes": outcomes}


def _by_source(summary: JournalSummary, status: str) -> dict[str, int]:
    counts = {source: summary.outcomes[status, source] for source in (*SOURCES, UNKNOWN)}
    return {source: count for source, count in counts.items() if count}


def _end_of_journal(found: int, summary: JournalSummary) -> list[str]:
    kind = "session file" if summary.form == SESSION else "store"
    size = f"a {kind} of {_count(summary.lines, 'line')} ({summary.bad} bad, {summary.blank} blank)"
    if not summary.outcomes:
        return [f"{_findings(found)} in {size}, which holds no decisions"]
    decisions = _count(summary.outcomes.total(), "decision")
    outcomes = [_outcome(summary, each) for each in STATUSES if _by_source(summary, each)]
    human = _count(summary.human, "explicit human answer")
    inconsistent = _count(summary.inconsistent, "inconsistent record")
    return [
        f"{_findings(found)} in {decisions} of {size}",
        ", ".join(outcomes),
        f"{human}, {summary.only_look_human} more that only look human, {inconsistent}",
    ]


def _outcome(summary: JournalSummary, status: str) -> str:
    counts = _by_source(summary, status)
    sources = ", ".join(f"{source} {count}" for source, count in counts.items())
    return f"{status} {sum(counts.values())} ({sources})"


def _findings(number: int) -> str:
    return _count(number, "finding") if number else "no findings"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
