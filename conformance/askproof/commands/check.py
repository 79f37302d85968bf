"""`askproof check FILE...`: event logs, and receipts, as they lie on disk."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from askproof import results
from askproof.check import check_log, lines_of
from askproof.errors import InputError
from askproof.shown import printable

if TYPE_CHECKING:
    import argparse
    from contextlib import AbstractContextManager
    from typing import BinaryIO

    from askproof.check import Finding, Summary

SEVERAL = 2


def command(args: argparse.Namespace) -> int:
    """Check each file; the status is 1 if anything was found, or if there was nothing to check."""
    wrong = [_check(name, args.namespace, as_json=args.json) for name in args.files]
    return 1 if any(wrong) else 0


def _check(name: str, namespaces: list[str], *, as_json: bool) -> bool:
    shown = "standard input" if name == "-" else printable(name)
    found = 0
    malformed: set[str] = set()  # namespaces of events that break a schema
    with _open(name) as file:
        checking = check_log(lines_of(file), shown, namespaces)
        while True:
            try:
                finding = next(checking)
            except StopIteration as end:
                summary: Summary = end.value
                break
            except OSError as error:
                raise InputError(shown, error.strerror or "cannot be read") from None
            found += 1
            if finding.rule == "schema" and len(malformed) < SEVERAL:
                malformed |= {finding.channel.rpartition(":")[0]} - {""}
            if as_json:
                sys.stdout.write(results.line({"type": "finding", **asdict(finding)}))
            else:
                print(_line(finding))
    notes = [_proves_nothing(summary)] * bool(summary.receipts)
    notes += ["--namespace PREFIX checks the events of one host"] * (len(malformed) == SEVERAL)
    if as_json:
        note = {"note": "; ".join(notes)} if notes else {}
        sys.stdout.write(
            results.line({"type": "summary", "file": shown, **asdict(summary), **note})
        )
    else:
        print(_end(shown, found, summary))
        for note_line in notes:
            print(f"{shown}: {note_line}")
    return found > 0 or summary.events + summary.receipts == 0


def _open(name: str) -> AbstractContextManager[BinaryIO]:
    if name == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise InputError(printable(name), error.strerror or "cannot be read") from None


def _line(finding: Finding) -> str:
    at = f" at {finding.pointer}" if finding.pointer else ""
    channel = f" {finding.channel}" if finding.channel else ""
    hint = f" ({finding.hint})" if finding.hint else ""
    return f"{finding.file}:{finding.line}: {finding.rule}{channel}: {finding.message}{at}{hint}"


def _end(shown: str, found: int, summary: Summary) -> str:
    held = [_count(summary.events, "ask event")] * bool(summary.events)
    held += [_count(summary.receipts, "receipt")] * bool(summary.receipts)
    if not held and summary.left_out:
        others = ", ".join(summary.left_out)
        return f"{shown}: nothing to check: its ask events are of other namespaces: {others}"
    if not held:
        return f"{shown}: nothing to check: it holds no ask events and no receipts"
    count = _count(found, "finding") if found else "no findings"
    open_flows = f", {summary.open} still open at the end" if summary.open else ""
    return f"{shown}: {count} in {' and '.join(held)}{open_flows}"


def _proves_nothing(summary: Summary) -> str:
    some = "" if summary.valid_receipts == summary.receipts else f", {summary.valid_receipts}"
    proves = "which proves nothing, since a serialized receipt is no evidence (RCP-061)"
    return f"{_count(summary.receipts, 'receipt')}{some} of valid shape, {proves}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
