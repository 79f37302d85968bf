"""Running cases against an adapter.

The engine knows nothing of pytest and of reports: it turns cases into outcomes.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from askproof import case as cases
from askproof.errors import AdapterError, InternalError
from askproof.faults import Fault, broke_protocol
from askproof.match import NOT_THERE, Difference, Matcher, substitute
from askproof.secrets import leaks
from askproof.specification import LEVELS, RECEIPT_ROLES, catalogue

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


class CaseResult(NamedTuple):
    """What became of a case.

    Attributes:
        case: the case as it was run.
        outcome: one of OUTCOMES.
        blames: the requirements that were broken, of the case's contract or of the protocol.
        step: one-based, where it ended unless it passed.
        message: why, in a sentence; empty for a case that passed.
        differences: what was not as expected in that step.
        tolerated: what was broken in a case that passed, as it is weaker than what is demanded.
        transcript: what was said, as the records of the schema `transcript/exchange`.
        sent: the command of that step as it was sent, or would have been; empty if none was.
        notes: what else was seen there that may explain it.
    """

    case: Case
    outcome: str
    blames: tuple[str, ...] = ()
    step: int | None = None
    message: str = ""
    differences: tuple[Difference, ...] = ()
    tolerated: tuple[str, ...] = ()
    transcript: tuple[dict[str, Any], ...] = ()
    sent: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it
    notes: tuple[str, ...] = ()


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
    try:
        result = _steps(session, case, level)
    except Fault as fault:
        result = _faulted(case, fault, {})
    except AdapterError as error:  # it had started before, and does not any more
        result = CaseResult(case, "crashed", message=f"it could not be started anew: {error}")
    except InternalError:
        cases.check(case.source, case.id)  # a wrong case is the fault of its author
        raise
    said = session.stderr()
    lines = [*session.transcript, *([{"type": "stderr", "text": said}] if said else [])]
    if result.outcome not in ("passed", "failed"):
        session.close(patient=False)
    return result._replace(transcript=tuple(lines))


def _steps(session: Session, case: Case, level: str) -> CaseResult:
    """Perform the steps until one is not as expected. Raises Fault if the case cannot begin."""
    session.begin(case.role, case.id)
    matcher = Matcher(cases.blame_table(case.contract).get(case.role, {}))
    tolerated: set[str] = set()
    for number, step in enumerate(case.steps, 1):
        filled = _filled(case, step.do, matcher.bound)
        sent = _addressed(filled, session.handshake)
        try:
            observed = _perform(session, case.role, sent, back=filled != step.do)
        except Fault as fault:
            fault.step = number
            return _faulted(case, fault, sent)
        short = [_short(one, session.handshake, case.role) for one in observed]
        seen = [one for one in short if one is not None]
        see = _where(step.see, session.handshake.capabilities(case.role))
        found = matcher.step(see, step.shows, seen)
        found += leaks(case.secrets, observed, found)
        found = _sharpened(found)
        broken = tuple(sorted({ident for one in found for ident in one.blames}))
        if _fails(found, level):
            message = f"step {number} was not seen as expected"
            beside = [raw for raw, one in zip(observed, short, strict=True) if one is None]
            return CaseResult(
                case,
                "failed",
                broken,
                number,
                message,
                tuple(found),
                sent=sent,
                notes=_strangers(found, beside, session.handshake.namespace),
            )
        tolerated |= {*broken}
    return CaseResult(case, "passed", tolerated=tuple(sorted(tolerated)))


def _faulted(case: Case, fault: Fault, sent: dict[str, Any]) -> CaseResult:
    return CaseResult(case, fault.outcome, fault.blames, fault.step, fault.message, sent=sent)


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


def _filled(case: Case, do: dict[str, Any], bound: dict[str, Any]) -> dict[str, Any]:
    """A command with what was seen before."""
    try:
        command: dict[str, Any] = substitute(do, bound)
    except KeyError as error:
        raise InternalError(f"{case.id} uses ${error.args[0]}, bound by nothing") from None
    return command


def _addressed(command: dict[str, Any], handshake: Handshake) -> dict[str, Any]:
    """A command with its whole channel."""
    for name in ("emit", "listen"):
        if name in command:
            channel = command[name]["channel"]
            if isinstance(channel, str):  # what was observed may be anything
                channel = _full(channel, handshake)
            return {name: {**command[name], "channel": channel}}
    return command


def _perform(
    session: Session, role: str, command: dict[str, Any], *, back: bool
) -> list[dict[str, Any]]:
    """Perform a command; `back`: it holds what was observed, which may be anything."""
    if "advance" in command and "virtual-time" not in session.handshake.capabilities(role):
        time.sleep(command["advance"]["ms"] / 1000)
    try:
        return session.perform(role, command)
    except InternalError as error:
        if not back:
            raise
        text = f"observed what cannot be sent back, as it would be {error}"
        raise broke_protocol(text, "ADP-003") from None


def _strangers(
    found: list[Difference], beside: list[dict[str, Any]], namespace: str
) -> tuple[str, ...]:
    """Tell of what was missed and emitted on a channel of that name beside the namespace."""
    missed = {
        str(one.expectation["emitted"]).rpartition(":")[2]
        for one in found
        if one.observation is NOT_THERE and "emitted" in one.expectation
    }
    channels = dict.fromkeys(str(one["emitted"]) for one in beside if "emitted" in one)
    return tuple(
        f"not in the namespace {namespace}: {channel}"
        for channel in channels
        if channel.rpartition(":")[2] in missed
    )


def _where(see: list[Any], capabilities: frozenset[str]) -> list[Any]:
    """What must be seen by an implementation with these capabilities."""
    left: list[Any] = []
    for one in see:
        if isinstance(one, list):
            left.append(_where(one, capabilities))
        elif "unordered" in one:
            left.append({"unordered": _where(one["unordered"], capabilities)})
        elif one.get("where", "") in ("", *capabilities):
            left.append(one)
    return left


def _full(channel: str, handshake: Handshake) -> str:
    prefix, colon, name = channel.rpartition(":")
    if not colon:
        return f"{handshake.namespace}:{channel}"
    return f"{handshake.second_namespace}:{name}" if prefix == "second" else channel


def _short(observation: dict[str, Any], handshake: Handshake, role: str) -> dict[str, Any] | None:
    """The observation with its channel as cases write it; None if it is not of the contract.

    Where receipts are tested everything that is emitted is: there should be nothing (RCP-041).
    """
    if "said" in observation:
        return None
    member = "emitted" if "emitted" in observation else "channel"
    if not isinstance(observation.get(member), str):
        return observation
    watches_all = role in RECEIPT_ROLES
    prefix, _, name = observation[member].rpartition(":")
    ours = watches_all or name in CHANNELS
    if ours and prefix == handshake.namespace:
        return {**observation, member: name}
    if ours and prefix == handshake.second_namespace:
        return {**observation, member: f"second:{name}"}
    return observation if watches_all or member == "channel" else None


def _sharpened(found: list[Difference]) -> list[Difference]:
    """What a case itself blames explains the rest, unless the rest breaks a stronger requirement.

    An answer that is taken instead of refused lacks the message of a refusal too: that is no fault.
    """
    known = catalogue()
    own = {LEVELS.index(known[ident].level) for one in found if one.own for ident in one.blames}
    if not own:
        return found
    sharpened = []
    for one in found:
        stronger = (i for i in one.blames if LEVELS.index(known[i].level) < min(own))
        sharpened.append(one if one.own else one._replace(blames=tuple(stronger), own=True))
    return sharpened


def _fails(found: list[Difference], level: str) -> bool:
    """Whether a difference breaks a requirement of the level or a stronger one, or none at all."""
    demanded = LEVELS[: LEVELS.index(level) + 1]
    known = catalogue()
    unexplained = any(not one.blames and not one.own for one in found)
    return unexplained or any(
        known[ident].level in demanded for one in found for ident in one.blames
    )
