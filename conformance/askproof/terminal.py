"""The report that a person reads at the terminal while and after the cases run."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from askproof.engine import OUTCOMES
from askproof.match import NOT_THERE, kind_of
from askproof.shown import Style, printable, sides, value
from askproof.specification import LEVELS, ROLES, catalogue

if TYPE_CHECKING:
    from pathlib import Path

    from askproof.engine import CaseResult
    from askproof.match import Difference
    from askproof.results import Tally
    from askproof.session import Handshake

_MOST_DIFFERENCES = 8
_MOST_REASONS = 8
_WIDTH = 60
_WIDEST = max(map(len, ROLES))


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
        self._print(f"{printable(name[:200])}, {_counted(count, 'case')}")
        self._count = count

    def case(self, result: CaseResult, source: str = "") -> None:
        """Report a case, at length if it did not pass; `source` is what to replay, if no id is."""
        self._done += 1
        if self._progress:
            self._progress.write(f"\r\x1b[K{self._done}/{self._count} {result.case.id}")
            self._progress.flush()
        if result.outcome == "not-applicable":
            self._skipped[result.message] = self._skipped.get(result.message, 0) + 1
        elif result.outcome != "passed":
            self._clear()
            self._failure(result, source)

    def end(self, tally: Tally, level: str, roles: set[str]) -> None:
        """Print the counts, what was not applicable and why, and the verdict for each role."""
        self._clear()
        counts = [f"{tally.outcomes[name]} {name}" for name in OUTCOMES if tally.outcomes[name]]
        self._print("")
        self._print(", ".join(counts))
        for reason, count in sorted(self._skipped.items())[:_MOST_REASONS]:
            self._print(self._style.quiet(f"  not applicable, {count}: {printable(reason)}"))
        if len(self._skipped) > _MOST_REASONS:
            more = _counted(len(self._skipped) - _MOST_REASONS, "more reason")
            self._print(self._style.quiet(f"  and {more}"))
        verdicts = tally.roles()
        for role in sorted(roles - verdicts.keys()):
            self._print(f"{role:<{_WIDEST}} not applicable")
        for role, verdict in verdicts.items():
            for demanded in LEVELS[: LEVELS.index(level) + 1]:
                if demanded in verdict:
                    text = verdict[demanded].replace("-", " ")
                    paint = self._style.good if text == "conforms" else self._style.bad
                    self._print(f"{role:<{_WIDEST}} {demanded.upper():<7} {paint(text)}")
        if not verdicts:
            self._print(self._style.bad("nothing was verified: no case applies to this adapter"))

    def note(self, text: str) -> None:
        """Print a remark that changes no verdict."""
        self._print(self._style.quiet(f"note: {text}"))

    def _failure(self, result: CaseResult, source: str) -> None:
        case = result.case
        self._print("")
        self._print(f"{self._style.bad(result.outcome.upper())}  {self._style.strong(case.id)}")
        self._print(f"  {printable(case.why)}")
        for ident in result.blames:
            requirement = catalogue()[ident]
            self._print(f"  {ident} ({requirement.level.upper()}): {printable(requirement.plain)}")
        if result.step:
            ((name, arguments),) = case.steps[result.step - 1].do.items()
            self._print(f"  step {result.step}  {name} {value(arguments, 100)}")
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
        self._print(self._style.quiet(f"  replay: {self._replay(source or case.id)}"))

    def _table(self, differences: tuple[Difference, ...]) -> None:
        shown = [(_subject(one), *sides(one, _WIDTH)) for one in differences[:_MOST_DIFFERENCES]]
        rows = [("", "expected", "observed"), *shown]
        first, second = (max(len(row[column]) for row in rows) for column in range(2))
        for where, expected, observed in rows:
            self._print(f"    {where:<{first}}  {expected:<{second}}  {observed}".rstrip())
        if len(differences) > _MOST_DIFFERENCES:
            more = _counted(len(differences) - _MOST_DIFFERENCES, "more difference")
            self._print(f"    and {more}")

    def _replay(self, what: str) -> str:
        from shlex import quote

        if self._transcripts:
            what = str(self._transcripts / f"{what.replace('/', '.')}.jsonl")
        return f"askproof replay {quote(what)} {quote(self._adapter)}"

    def _clear(self) -> None:
        if self._progress:
            self._progress.write("\r\x1b[K")
            self._progress.flush()

    def _print(self, text: str) -> None:
        self._out.write(text + "\n")


def _subject(difference: Difference) -> str:
    """Where it is: the kind of the observation, what it is about, and the pointer."""
    whole = difference.observation
    if whole is NOT_THERE:
        whole = difference.expectation
    kind = kind_of(whole)
    about = whole[kind] if isinstance(whole[kind], str) else ""
    return printable(" ".join(filter(None, (kind, about[:_WIDTH], difference.pointer[:_WIDTH]))))


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
