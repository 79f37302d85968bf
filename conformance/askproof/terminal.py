"""The report that a person reads at the terminal while and after the cases run."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from askproof.engine import OUTCOMES
from askproof.match import NOT_THERE, kind_of
from askproof.shown import Style, columns, ends, is_screen, printable, sides, value
from askproof.specification import LEVELS, ROLES, catalogue

if TYPE_CHECKING:
    from pathlib import Path

    from askproof.case import Case
    from askproof.engine import CaseResult
    from askproof.match import Difference
    from askproof.results import Tally
    from askproof.session import Handshake

_MOST_DIFFERENCES = 8
_MOST_REASONS = 8
_MOST_BROKEN = 10
_LONGEST_NAME = 40
_SAID = 5  # lines of each end of what an adapter has said
_BY_LINE = ("record", "diagnostic", "refused")  # kinds that are named by a line of a file
_HEADING = len("expected")
_WIDEST = max(map(len, ROLES))


class Terminal:
    """Failures as they happen, then the verdict; the progress goes to the other stream."""

    def __init__(
        self, out: IO[str], progress: IO[str], adapter: str, transcripts: Path | None = None
    ) -> None:
        """Take the stream of the report, that of the progress, and what replay needs."""
        self._out = out
        self._progress = progress if is_screen(progress) else None
        self._style = Style(out)
        self._width = columns(out)
        self._adapter = adapter
        self._transcripts = transcripts
        self._done = self._count = 0
        self._skipped: dict[str, int] = {}

    def start(self, handshake: Handshake, chosen: list[Case]) -> None:
        """Say what is being tested, and by how many cases for what it claims to be."""
        about = handshake.implementation
        name = f"{about['name']} {about['version']} ({about['language']})"
        count = sum(case.role in handshake.roles for case in chosen)
        self._print(f"testing {printable(name[:200])}, {_counted(count, 'case')}")
        self._count = len(chosen)

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
        self._broken(tally)
        verdicts = tally.roles()
        for role in sorted(roles - verdicts.keys()):
            self._print(f"{role:<{_WIDEST}} not applicable")
        rows = [
            (role, demanded, verdict[demanded].replace("-", " "))
            for role, verdict in verdicts.items()
            for demanded in LEVELS[: LEVELS.index(level) + 1]
            if demanded in verdict
        ]
        widest = max((len(text) for _, _, text in rows), default=0)
        for role, demanded, text in rows:
            paint = self._style.good if text == "conforms" else self._style.bad
            verified, bound = tally.verified(role, demanded)
            self._print(
                f"{role:<{_WIDEST}} {demanded.upper():<7} {paint(text)}{'':<{widest - len(text)}}"
                f"   {verified} of {_counted(bound, 'requirement')} verified"
            )
        if not verdicts:
            self._print(self._style.bad("nothing was verified: no case applies to this adapter"))

    def note(self, text: str) -> None:
        """Print a remark that changes no verdict."""
        self._print(self._style.quiet(f"note: {text}"))

    def _broken(self, tally: Tally) -> None:
        """What to mend first: the requirements that most cases blame."""
        most_first = sorted(tally.broken.items(), key=lambda one: (-one[1], one[0]))
        for ident, count in most_first[:_MOST_BROKEN]:
            level = catalogue()[ident].level.upper()
            self._print(f"  {ident} ({level}) {_counted(count, 'case')}")
        if len(most_first) > _MOST_BROKEN:
            self._print(f"  and {len(most_first) - _MOST_BROKEN} more")

    def _failure(self, result: CaseResult, source: str) -> None:
        case = result.case
        self._print("")
        self._print(f"{self._style.bad(result.outcome.upper())}  {self._style.strong(case.id)}")
        self._print(f"  {printable(case.why)}")
        for ident in result.blames:
            requirement = catalogue()[ident]
            self._print(f"  {ident} ({requirement.level.upper()}): {printable(requirement.plain)}")
        if result.step:
            self._step(result)
        if result.differences:
            self._table(result.differences)
            for note in result.notes:
                self._print(f"    {ends(note, self._width - 4)}")
        else:
            self._print(f"    {printable(result.message)}")
        raw = [one["raw"] for one in result.transcript if "raw" in one]
        if raw:
            self._print(f"    it wrote: {printable(raw[-1])}")
        said = [one["text"] for one in result.transcript if one["type"] == "stderr"]
        if said and result.outcome != "failed":
            self._print("    its standard error:")
            for text in _excerpt(said[-1].rstrip().split("\n")):
                self._print(f"    | {printable(text[-200:])}")  # no command of a CI starts so
        self._print(self._style.quiet(f"  replay: {printable(self._replay(source or case.id))}"))
        if "read" in result.sent and not source:  # what was sent is Base64
            self._print(self._style.quiet(f"  what it read: askproof explain {case.id}"))

    def _step(self, result: CaseResult) -> None:
        """The command as it was sent, on at most two lines."""
        ((name, arguments),) = result.sent.items()
        start = f"  step {result.step}  {name} "
        room = self._width - len(start)
        text = value(arguments, 2 * room)
        self._print(start + text[:room])
        if text[room:]:
            self._print(" " * len(start) + text[room:])

    def _table(self, differences: tuple[Difference, ...]) -> None:
        """What differs, in the width that there is, of which a third at most says where."""
        shown = differences[:_MOST_DIFFERENCES]
        places = [ends(_subject(one), self._width // 3) for one in shown]
        cells = _cells(shown, self._width - 8 - max(map(len, places)))
        rows = [("", "expected", "observed")]
        rows += [(place, *pair) for place, pair in zip(places, cells, strict=True)]
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


def _cells(shown: tuple[Difference, ...], room: int) -> list[tuple[str, str]]:
    """Both sides of each difference: half of the room each, or more where the other needs less."""
    halves = [sides(one, room // 2) for one in shown]
    shorter = max(_HEADING, min(max(len(pair[side]) for pair in halves) for side in range(2)))
    wider = [sides(one, room - shorter) for one in shown]
    fits = sum(max(len(pair[side]) for pair in wider) for side in range(2)) <= room
    return wider if fits else halves


def _subject(difference: Difference) -> str:
    """Where it is: the kind of the observation, what it is about, and the pointer."""
    whole = difference.observation
    if whole is NOT_THERE:
        whole = difference.expectation
    kind = kind_of(whole)
    about = ends(whole[kind], _LONGEST_NAME) if isinstance(whole[kind], str) else ""
    if kind in _BY_LINE and type(whole[kind]) is int:
        about = f"on line {whole[kind]}"
    return " ".join(filter(None, (kind, about, difference.pointer)))


def _excerpt(lines: list[str]) -> list[str]:
    """The ends of what was said: some languages tell first where it happened, and others last."""
    if len(lines) <= 2 * _SAID:
        return lines
    return [*lines[:_SAID], "…", *lines[-_SAID:]]


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
