"""`askproof check FILE...`: event logs, receipts and decision journals, as they lie on disk."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askproof import results
from askproof.check import check_log, lines_of
from askproof.check_journal import LineFinding, check_journal
from askproof.check_secrets import Search, Secrets, secrets_in
from askproof.check_source import BLOCK, STANDARD_INPUT, Source, names_of, opened
from askproof.journal_judgement import SOURCES, UNKNOWN
from askproof.journal_lines import LOG, SESSION, STATUSES
from askproof.progress import Progress
from askproof.shown import printable

if TYPE_CHECKING:
    import argparse

    from askproof.check import Finding, Summary
    from askproof.check_journal import JournalSummary

SEVERAL = 2


def command(args: argparse.Namespace) -> int:
    """Check each file; the status is 1 if anything was found, or if there was nothing to check."""
    from_files = [secret for file in args.secret_file for secret in secrets_in(Path(file))]
    secrets = Secrets([*args.secret, *from_files])
    names = [name for pattern in args.files for name in names_of(pattern)]
    wrong = [_check(name, secrets, args) for name in names]
    return 1 if any(wrong) else 0


def _check(name: str, secrets: Secrets, args: argparse.Namespace) -> bool:
    shown = "standard input" if name == STANDARD_INPUT else secrets.hide(printable(name))
    blocks = _blocks(name)
    search = Search(secrets)
    with opened(name) as stream, Progress(sys.stderr, blocks) as progress:
        report = _Report(shown, secrets, progress, as_json=args.json)

        def look_into(block: bytes) -> None:
            for offset, line, number in search.search(block):
                message = f"secret {number} of those that were searched for"
                report.tell(LineFinding(shown, line, offset, "secret", message))
            if blocks:
                progress.step(None, f"MiB of {shown}")

        source = Source(stream, shown, look_into)
        if source.form == LOG:
            nothing = _check_log(source, report, args.namespace)
        else:
            nothing = _check_journal(source, report, strict=args.strict)
    return report.found > 0 or nothing


def _blocks(name: str) -> int:
    """How many blocks will be read, if that can be known."""
    file = Path(name)
    return -(-file.stat().st_size // BLOCK) if file.is_file() else 0


class _Report:
    """Tells what is found in a file, and counts it."""

    def __init__(self, shown: str, secrets: Secrets, progress: Progress, *, as_json: bool) -> None:
        self.file = shown
        self.found = 0
        self._secrets = secrets
        self._progress = progress
        self._as_json = as_json

    def tell(self, finding: Finding | LineFinding) -> None:
        """One finding, or a note, which does not count."""
        texts = {name: text for name, text in vars(finding).items() if isinstance(text, str)}
        hidden = {name: self._secrets.hide(text) for name, text in texts.items()}
        finding = replace(finding, **hidden)  # type: ignore[arg-type] # texts are replaced by texts
        members = asdict(finding)
        kind = "note" if members.pop("note", False) else "finding"
        self.found += kind == "finding"
        self._progress.clear()
        if self._as_json:
            sys.stdout.write(results.line({"type": kind, **members}))
        else:
            print(_of_line(finding) if isinstance(finding, LineFinding) else _of_log(finding))

    def end(self, summary: dict[str, Any], lines: list[str]) -> None:
        """What the file held, as a record and in words."""
        self._progress.clear()
        if self._as_json:
            sys.stdout.write(results.line({"type": "summary", "file": self.file, **summary}))
        else:
            for line in lines:
                print(f"{self.file}: {self._secrets.hide(line)}")


def _of_line(finding: LineFinding) -> str:
    at = f"{finding.file}:{finding.line}: byte {finding.offset}"
    return f"{at}: {'note: ' * finding.note}{finding.rule}: {finding.message}"


def _of_log(finding: Finding) -> str:
    at = f" at {finding.pointer}" if finding.pointer else ""
    channel = f" {finding.channel}" if finding.channel else ""
    hint = f" ({finding.hint})" if finding.hint else ""
    return f"{finding.file}:{finding.line}: {finding.rule}{channel}: {finding.message}{at}{hint}"


# Event logs


def _check_log(source: Source, report: _Report, namespaces: list[str]) -> bool:
    """Whether there was nothing to check."""
    checking = check_log(lines_of(source.buffered()), report.file, namespaces)
    malformed: set[str] = set()  # namespaces of events that break a schema
    while True:
        try:
            finding = next(checking)
        except StopIteration as end:
            summary: Summary = end.value
            break
        if finding.rule == "schema" and len(malformed) < SEVERAL:
            malformed |= {finding.channel.rpartition(":")[0]} - {""}
        report.tell(finding)
    notes = [_proves_nothing(summary)] * bool(summary.receipts)
    notes += ["--namespace PREFIX checks the events of one host"] * (len(malformed) == SEVERAL)
    note = {"note": "; ".join(notes)} if notes else {}
    report.end({**asdict(summary), **note}, [_end(report.found, summary), *notes])
    return summary.events + summary.receipts == 0


def _end(found: int, summary: Summary) -> str:
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


# Decision journals


def _check_journal(source: Source, report: _Report, *, strict: bool) -> bool:
    """Whether there was nothing to check."""
    checking = check_journal(source.pieces(), report.file, source.form, strict=strict)
    while True:
        try:
            report.tell(next(checking))
        except StopIteration as end:
            summary: JournalSummary = end.value
            break
    if summary.refused:
        refusal = f"refused for line {summary.refused}: strictly, no line may be bad (JRN-095)"
        report.end({"form": summary.form, "refused": summary.refused}, [refusal])
    else:
        report.end(_record(summary), _end_of_journal(report.found, summary))
    return not summary.outcomes


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
        return [f"nothing to check: it holds no decisions; {_findings(found)} in {size}"]
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
