"""The report that a person reads at the terminal while and after the cases run."""

from __future__ import annotations

import shlex
from typing import IO, TYPE_CHECKING, Any

from askproof.match import NOT_THERE
from askproof.shown import Style, printable, value
from askproof.specification import LEVELS, catalogue

if TYPE_CHECKING:
    from pathlib import Path

    from askproof.engine import CaseResult
    from askproof.match import Difference
    from askproof.results import Tally
    from askproof.session import Handshake

_MOST_DIFFERENCES = 8
_REASONS = 8
_VERDICTS = {
    "conforms": "conforms",
    "does-not-conform": "does not conform",
    "not-verified": "not verified",
}


class Terminal:
    """Failures as they happen, then the verdict; the progress goes to the other stream."""

    def __init__(
        self, out: IO[str], progress: IO[str], adapter: str, transcripts: Path | None = None
    ) -> None:
        """Take the stream of the report, that of the progress, and what replay needs."""
        self._out = out
        self._progress = progress if progress.isatty() else None
        self._style = Style(out)
        self._adapter = adapter
        self._transcripts = transcripts
        self._done = self._count = 0
        self._skipped: dict[str, int] = {}

    def start(self, handshake: Handshake, count: int) -> None:
        """Say what is being tested."""
        about = handshake.implementation
        name = f"{about['name']} {about['version']} ({about['language']})"
        self._print(f"{printable(name)}, {count} cases")
        self._count = count

    def case(self, result: CaseResult) -> None:
        """Report a case, at length if it did not pass."""
        self._done += 1
        if self._progress:
            self._progress.write(f"\r\x1b[K{self._done}/{self._count} {result.case.id}")
            self._progress.flush()
        if result.outcome == "not-applicable":
            self._skipped[result.message] = self._skipped.get(result.message, 0) + 1
        elif result.outcome != "passed":
            self._clear()
            self._failure(result)

    def end(self, tally: Tally, level: str, roles: set[str]) -> None:
        """The counts, what was not applicable and why, and the verdict for each role."""
        self._clear()
        counts = [f"{count} {name}" for name, count in tally.outcomes.items()]
        self._print("")
        self._print(", ".join(counts))
        for reason, count in sorted(self._skipped.items())[:_REASONS]:
            self._print(self._style.quiet(f"  not applicable, {count}: {printable(reason)}"))
        if len(self._skipped) > _REASONS:
            self._print(self._style.quiet(f"  and {len(self._skipped) - _REASONS} more reasons"))
        verdicts = tally.roles()
        for role in sorted(roles):
            if role not in verdicts:
                self._print(f"{role:<12} {'not applicable':<22}")
                continue
            for demanded in LEVELS[: LEVELS.index(level) + 1]:
                if demanded not in verdicts[role]:
                    continue
                verdict = _VERDICTS[verdicts[role][demanded]]
                paint = self._style.good if verdict == "conforms" else self._style.bad
                self._print(f"{role:<12} {demanded.upper():<7} {paint(verdict)}")

    def _failure(self, result: CaseResult) -> None:
        case = result.case
        self._print("")
        self._print(f"{self._style.bad(result.outcome.upper())}  {self._style.strong(case.id)}")
        self._print(f"  {printable(case.why)}")
        for ident in result.blames:
            requirement = catalogue()[ident]
            self._print(f"  {ident} ({requirement.level.upper()}): {printable(requirement.plain)}")
        if result.step:
            command = _command(case.steps[result.step - 1].do)
            self._print(f"  step {result.step}  {command}")
        if result.differences:
            self._table(result.differences)
        else:
            self._print(f"    {printable(result.message)}")
        raw = [one["raw"] for one in result.transcript if "raw" in one]
        if raw:
            self._print(f"    it wrote: {printable(raw[-1])}")
        said = [one["text"] for one in result.transcript if one["type"] == "stderr"]
        if said and result.outcome != "failed":
            self._print("    the end of its standard error:")
            for text in said[-1].rstrip().split("\n")[-5:]:
                self._print(f"      {printable(text[-200:])}")
        self._print(self._style.quiet(f"  replay: {self._replay(case.id)}"))

    def _table(self, differences: tuple[Difference, ...]) -> None:
        rows = [("", "expected", "observed"), *map(_row, differences[:_MOST_DIFFERENCES])]
        widths = [max(len(row[column]) for row in rows) for column in range(2)]
        for where, expected, observed in rows:
            self._print(f"    {where:<{widths[0]}}  {expected:<{widths[1]}}  {observed}".rstrip())
        if len(differences) > _MOST_DIFFERENCES:
            self._print(f"    and {len(differences) - _MOST_DIFFERENCES} more differences")

    def _replay(self, case_id: str) -> str:
        what = case_id
        if self._transcripts:
            what = str(self._transcripts / f"{case_id.replace('/', '.')}.jsonl")
        return f"askproof replay {shlex.quote(what)} {shlex.quote(self._adapter)}"

    def _clear(self) -> None:
        if self._progress:
            self._progress.write("\r\x1b[K")
            self._progress.flush()

    def _print(self, text: str) -> None:
        self._out.write(text + "\n")


def _row(difference: Difference) -> tuple[str, str, str]:
    whole = difference.observation
    if whole is NOT_THERE:
        whole = difference.expectation
    name = next(iter(whole))
    subject = f"{name} {whole[name]}" if isinstance(whole[name], str) else name
    pointer = difference.pointer
    return (
        printable(f"{subject} {pointer}".strip()),
        value(difference.expected),
        value(difference.observed),
    )


def _command(do: dict[str, Any]) -> str:
    name = next(iter(do))
    return f"{name} {value(do[name], 100)}"
