"""Results as records: JSON Lines with a header, a line a case, and a footer with the verdicts.

Pinned by the schemas `results/header`, `results/case` and `results/footer`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from askproof import __version__, wire
from askproof.engine import OUTCOMES
from askproof.match import NOT_THERE
from askproof.session import PROTOCOL
from askproof.specification import LEVELS, ROLES, VERSION, catalogue

if TYPE_CHECKING:
    from askproof.engine import CaseResult
    from askproof.match import Difference
    from askproof.session import Handshake

CONFORMS, DOES_NOT, NOT_VERIFIED = "conforms", "does-not-conform", "not-verified"


class Tally:
    """Counts outcomes and judges roles and requirements while results come in.

    A role does not conform at a level when a requirement of that level or a stronger one is
    blamed, or when a case did not pass for a reason that no requirement of its contract explains.
    A level of which nothing passed is not verified.

    Attributes:
        outcomes: how many cases ended in each way.
        broken: how many cases that did not pass blame a requirement, by its id.
    """

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.broken: Counter[str] = Counter()
        self._passed: set[tuple[str, str]] = set()
        self._blamed: set[tuple[str, str]] = set()
        self._faulted: set[str] = set()

    def add(self, result: CaseResult) -> None:
        """Count one result."""
        role = result.case.role
        self.outcomes[result.outcome] += 1
        self.broken.update(result.blames)
        self._blamed |= {(role, ident) for ident in [*result.blames, *result.tolerated]}
        if result.outcome == "passed":
            self._passed |= {(role, ident) for ident in result.case.shows}
        elif result.outcome == "failed":
            if not all(one.blames or one.own for one in result.differences):
                self._faulted.add(role)
        elif result.outcome != "not-applicable":
            self._faulted.add(role)

    def verdict(self, role: str, level: str) -> str:
        """`conforms`, `does-not-conform` or `not-verified`, at the level and all stronger ones."""
        known = catalogue()
        broken = {known[ident].level for who, ident in self._blamed if who == role}
        if role in self._faulted or not broken.isdisjoint(_demanded(level)):
            return DOES_NOT
        shown = {known[ident].level for who, ident in self._passed if who == role}
        return CONFORMS if level in shown else NOT_VERIFIED

    def verified(self, role: str, level: str) -> tuple[int, int]:
        """How many of a role's requirements of the level were seen kept, and how many it has."""
        bound = {
            (role, ident)
            for ident, one in catalogue().items()
            if one.level == level and role in one.roles
        }
        return len(bound & self._passed - self._blamed), len(bound)

    def requirement(self, ident: str) -> str:
        """`failed` if a case blamed it, else `passed` if a case that shows it passed."""
        if any(one == ident for _, one in self._blamed):
            return "failed"
        return "passed" if any(one == ident for _, one in self._passed) else NOT_VERIFIED

    def roles(self) -> dict[str, dict[str, str]]:
        """The verdicts of every role of which anything was run."""
        run = {who for who, _ in self._passed | self._blamed} | self._faulted
        return {
            role: {level: self.verdict(role, level) for level in LEVELS[:2]}
            for role in ROLES
            if role in run
        }

    def exit_status(self, level: str) -> int:
        """0 if every role that was run conforms at the level, and something was verified."""
        verdicts = {self.verdict(role, one) for role in self.roles() for one in _demanded(level)}
        return 0 if CONFORMS in verdicts and DOES_NOT not in verdicts else 1


def _demanded(level: str) -> tuple[str, ...]:
    return LEVELS[: LEVELS.index(level) + 1]


def header(
    adapter: str, handshake: Handshake, selection: dict[str, Any], count: int
) -> dict[str, Any]:
    """The first line: what was run, against what."""
    return {
        "type": "header",
        "kit": __version__,
        "specification": VERSION,
        "protocol": PROTOCOL,
        "adapter": adapter,
        "implementation": handshake.implementation,
        "selection": selection,
        "cases": count,
    }


def case_line(result: CaseResult) -> dict[str, Any]:
    """The line of one case."""
    line: dict[str, Any] = {
        "type": "case",
        "case": result.case.id,
        "role": result.case.role,
        "outcome": result.outcome,
        "requirements": list(result.case.shows),
        "blames": [*result.blames, *result.tolerated],
    }
    if result.step is not None:
        line["step"] = result.step
    if result.message:
        line["message"] = result.message
    if result.differences:
        line["differences"] = [_difference(one) for one in result.differences]
    return line


def footer(tally: Tally) -> dict[str, Any]:
    """The last line: the counts and the verdicts. A file without it is incomplete."""
    return {
        "type": "footer",
        "outcomes": {name: tally.outcomes[name] for name in OUTCOMES},
        "roles": tally.roles(),
        "requirements": {ident: tally.requirement(ident) for ident in catalogue()},
    }


def transcript(result: CaseResult, adapter: str, handshake: Handshake) -> list[dict[str, Any]]:
    """What was said in a case, with the case itself, so that it can be replayed anywhere."""
    kept = ("outcome", "blames", "step", "message", "differences")
    outcome = {key: value for key, value in case_line(result).items() if key in kept}
    return [
        {
            "type": "transcript",
            "kit": __version__,
            "adapter": adapter,
            "implementation": handshake.implementation,
            "case": result.case.source,
        },
        *result.transcript,
        {"type": "outcome", **outcome},
    ]


def line(record: dict[str, Any]) -> str:
    """A record as a line of a file."""
    return wire.encode(record).decode("ascii") + "\n"


def _difference(one: Difference) -> dict[str, Any]:
    found: dict[str, Any] = {"pointer": one.pointer, "blames": list(one.blames)}
    if one.expected is not NOT_THERE:
        found["expected"] = one.expected
    if one.observed is not NOT_THERE:
        found["observed"] = one.observed
    return found
