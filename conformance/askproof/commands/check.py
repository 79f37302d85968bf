"""`askproof check FILE...`: event logs, receipts and decision journals, as they lie on disk."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from askproof.check import check_log, lines_of
from askproof.check_journal import LineFinding, check_journal
from askproof.check_report import Report
from askproof.check_secrets import Search, Secrets, secrets_in
from askproof.check_source import STANDARD_INPUT, Source, names_of, opened, size_of
from askproof.journal_lines import LOG
from askproof.journal_parts import LARGE, PART, parts_at_once, parts_in_turn, processors
from askproof.progress import Progress
from askproof.shown import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Generator

    from askproof.check import Summary
    from askproof.check_journal import JournalSummary
    from askproof.journal_parts import Part

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
    size = size_of(name)
    search = Search(secrets)
    with opened(name) as stream, Progress(sys.stderr, -(-size // PART)) as progress:
        report = Report(shown, secrets, progress, as_json=args.json)

        def step() -> None:
            if size:
                progress.step(None, f"parts of {shown}")

        def look_into(block: bytes) -> None:
            for offset, line, number in search.search(block):
                message = f"secret {number} of those that were searched for"
                report.tell(LineFinding(shown, line, offset, "secret", message))
            step()

        nothing = False
        source = Source(stream, shown, look_into)
        if source.form == LOG:
            nothing = _check_log(source, report, args.namespace)
        elif size >= LARGE and not secrets.patterns and processors() > 1:
            parts = parts_at_once(name, source.form, step)
            _check_journal(parts, source.form, report, strict=args.strict)
        else:
            rest = source.buffered()
            parts = parts_in_turn(rest, source.form)
            _check_journal(parts, source.form, report, strict=args.strict)
            while secrets.patterns and rest.read(PART):
                pass  # what is refused is searched all the same
    return report.found > 0 or nothing


def _check_log(source: Source, report: Report, namespaces: list[str]) -> bool:
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
    report.end_of_log(summary, several=len(malformed) == SEVERAL)
    return summary.events + summary.receipts == 0


def _check_journal(
    parts: Generator[Part, None, None], form: str, report: Report, *, strict: bool
) -> None:
    """Every line of a journal is looked at, so that one without decisions has been checked too."""
    with closing(parts):
        checking = check_journal(parts, report.file, form, strict=strict)
        while True:
            try:
                report.tell(next(checking))
            except StopIteration as end:
                summary: JournalSummary = end.value
                break
    report.end_of_journal(summary)
