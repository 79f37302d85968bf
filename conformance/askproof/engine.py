"""Running cases against an adapter.

The engine knows nothing of pytest and of reports: it turns cases into outcomes.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from askproof import case as cases
from askproof.errors import AdapterError, InternalError
from askproof.faults import Fault
from askproof.match import Difference, Matcher, substitute
from askproof.specification import LEVELS, catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from askproof.case import Case
    from askproof.session import Handshake, Session

CHANNELS = ("started", "completed", "submit", "submit-result", "external-ui")
OUTCOMES = (
    "passed",
    "failed",
    "crashed",
    "timed-out",
    "protocol-error",
    "not-applicable",
    "expected-failure",
    "unexpected-pass",
)


@dataclass(frozen=True)
class CaseResult:
    """What became of a case.

    Attributes:
        case: the case as it was run.
        outcome: one of OUTCOMES.
        blames: the requirements that were broken, of the case's contract or of the protocol.
        step: one-based, where it ended unless it passed.
        message: why, in a sentence; empty for a case that passed.
        differences: what was not as expected in that step.
        transcript: what was said, as the records of the schema `transcript/exchange`.
    """

    case: Case
    outcome: str
    blames: tuple[str, ...] = ()
    step: int | None = None
    message: str = ""
    differences: tuple[Difference, ...] = ()
    transcript: tuple[dict[str, Any], ...] = field(default=(), repr=False)


def run(session: Session, chosen: Iterable[Case], level: str = "should") -> Iterator[CaseResult]:
    """Run cases in their order; an adapter that fails is started anew for the next one.

    The session must have been initialized. `level` is the weakest level that is demanded:
    differences that break only weaker requirements are no failures.
    """
    for one in chosen:
        yield run_case(session, one, level)


def run_case(session: Session, case: Case, level: str = "should") -> CaseResult:
    """Run one case; the session must have been initialized."""
    reason = not_applicable(session.handshake, case)
    if reason:
        return CaseResult(case, "not-applicable", message=reason)
    session.transcript = []
    step = 0
    try:
        session.begin(case.role, case.id)
        matcher = Matcher(cases.blame_table(case.id.split("/")[0]).get(case.role, {}))
        for step, one in enumerate(case.steps, 1):
            try:
                command = substitute(one.do, matcher.bound)
            except KeyError as error:
                raise InternalError(f"{case.id}: step {step} uses ${error.args[0]}, bound by nothing") from None
            seen = _perform(session, case.role, command)
            found = _demanded(matcher.step(one.see, one.shows, seen), level)
            if found:
                blames = tuple(sorted({ident for d in found for ident in d.blames}))
                message = f"step {step} was not seen as expected"
                return _ended(session, CaseResult(case, "failed", blames, step, message, tuple(found)))
        return _ended(session, CaseResult(case, "passed"))
    except Fault as fault:
        result = CaseResult(case, fault.outcome, fault.blames, step or None, fault.message)
    except AdapterError as error:  # it had started before, and does not any more
        result = CaseResult(case, "crashed", (), None, f"it could not be started anew: {error}")
    ended = _ended(session, result)
    session.close()
    return ended


def not_applicable(handshake: Handshake, case: Case) -> str:
    """Why a case cannot be run with this adapter; empty if it can."""
    if case.role not in handshake.roles:
        return f"the role {case.role} is not declared"
    missing = case.needs - handshake.capabilities(case.role)
    if missing:
        return f"capability not declared: {', '.join(sorted(missing))}"
    declared = handshake.variants(case.role)
    for name, value in case.variants.items():
        if declared.get(name) != value:
            return f"variant {name} is not declared as {value}"
    return ""


def _perform(session: Session, role: str, command: dict[str, Any]) -> list[dict[str, Any]]:
    handshake = session.handshake
    for name in ("emit", "listen"):
        if name in command:
            command[name]["channel"] = _full(command[name]["channel"], handshake)
    if "advance" in command and "virtual-time" not in handshake.capabilities(role):
        time.sleep(command["advance"]["ms"] / 1000)
    seen = session.perform(role, command)
    short = (_short(observation, handshake) for observation in seen)
    return [one for one in short if one is not None]


def _full(channel: str, handshake: Handshake) -> str:
    prefix, colon, name = channel.rpartition(":")
    if not colon:
        return f"{handshake.namespace}:{channel}"
    return f"{handshake.second_namespace}:{name}" if prefix == "second" else channel


def _short(observation: dict[str, Any], handshake: Handshake) -> dict[str, Any] | None:
    """The observation with its channel as cases write it, or None for one that is not of the contract."""
    member = "emitted" if "emitted" in observation else "channel"
    if not isinstance(observation.get(member), str):
        return observation
    prefix, _, name = observation[member].rpartition(":")
    if name not in CHANNELS:
        return None if member == "emitted" else observation
    if prefix == handshake.namespace:
        return {**observation, member: name}
    if prefix == handshake.second_namespace:
        return {**observation, member: f"second:{name}"}
    return None if member == "emitted" else observation


def _demanded(found: list[Difference], level: str) -> list[Difference]:
    """Without what breaks only requirements that are weaker than the level."""
    demanded = LEVELS[: LEVELS.index(level) + 1]
    known = catalogue()
    return [
        one
        for one in found
        if not one.blames or any(known[ident].level in demanded for ident in one.blames)
    ]


def _ended(session: Session, result: CaseResult) -> CaseResult:
    said = session.stderr()
    lines = [*session.transcript, *([{"type": "stderr", "text": said}] if said else [])]
    return CaseResult(
        result.case,
        result.outcome,
        result.blames,
        result.step,
        result.message,
        result.differences,
        tuple(lines),
    )
