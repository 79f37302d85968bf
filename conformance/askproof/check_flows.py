"""The rules of a log that span events: flows from `started` to `completed`, submits and results.

Memory is bounded by the flows that are open, and by so many submits, ids and ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from askproof.check_answers import (
    ENVELOPE,
    carried,
    differences,
    label_for_value,
    questions_of,
    row_faults,
    submit_fault,
    summary_faults,
)
from askproof.check_findings import is_milliseconds, quoted, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from askproof.check_answers import Carried, Fault, Question
    from askproof.check_findings import At, Finding
    from askproof.schemas import Problem

REMEMBERED = 65_536
WAITING = 1024

_NOTHING = object()
_CODES = ("flow_not_found", "invalid_request", "invalid_answer")
_ORDER = "unless the log was not written in the order of emission, or begins in the middle"


@dataclass
class _Flow:
    """A flow that has not completed; what started said is None where it was malformed."""

    source: Any
    tool_call: Any
    created: int | None
    questions: dict[str, Question] | None
    uncompleted: Finding | None = None  # once a submit was accepted: true if no completed comes
    accepted: Carried | None = None  # what that submit carried, if it had to be accepted
    not_found: bool = False  # the host denied that it is active


@dataclass
class _Submit:
    """A submit that waits for its result."""

    unanswered: Finding  # true if no result comes
    flow: _Flow | None  # None if it was not active
    fault: Fault | None  # why it must be refused
    carried: Carried | None  # None unless it must be accepted if its flow is active
    misnamed: Finding | None  # true if it is refused
    disagrees: tuple[Finding, ...] = ()  # true of the result of its flow, if it is accepted


class _Memory(dict[bytes, int]):
    """Lines by key; the oldest are forgotten."""

    def __setitem__(self, key: bytes, line: int) -> None:
        super().__setitem__(key, line)
        if len(self) > REMEMBERED:
            del self[next(iter(self))]


class Flows:
    """The flows of a log, in any number of namespaces."""

    def __init__(self) -> None:
        self._flows: dict[bytes, _Flow] = {}
        self._ended = _Memory()
        self._requests = _Memory()
        self._submits: dict[bytes, list[_Submit]] = {}
        self._waiting = 0

    def open(self) -> int:
        """How many have not ended, and nobody has denied it."""
        return sum(not (one.uncompleted or one.not_found) for one in self._flows.values())

    def end(self) -> Iterator[Finding]:
        """The log has ended."""
        yield from (one.unanswered for waiting in self._submits.values() for one in waiting)
        yield from (one.uncompleted for one in self._flows.values() if one.uncompleted)

    def started(self, at: At, data: dict[str, Any], *, valid: bool) -> Iterator[Finding]:
        """A flow has opened, if it has an id."""
        if not _text(data.get("flowId")):
            return
        key = at.key(data["flowId"])
        before = self._flows.pop(key, None)
        if before is not None and before.uncompleted:
            yield before.uncompleted
        elif before is not None and not before.not_found:
            message = f"flow {quoted(data['flowId'])} is active already"
            hint = "unless that one had failed, or was disposed of when its session ended"
            yield at.finding("EVT-048", "/data/flowId", message, hint)
        self._flows[key] = _Flow(
            data.get("source"),
            data.get("toolCallId", _NOTHING),
            _milliseconds(data.get("createdAt")),
            questions_of(data) if valid else None,
        )

    def submit(self, at: At, data: dict[str, Any], problems: list[Problem]) -> Iterator[Finding]:
        """Somebody answers a flow, or cancels it."""
        request, flow_id = _text(data.get("requestId")), _text(data.get("flowId"))
        if request:
            seen = at.key("request", request)
            if seen in self._requests:
                message = f"requestId {quoted(request)} was used in line {self._requests[seen]}"
                hint = "unless two bridges count alike, and then they take each other's results"
                yield at.finding("EVT-202", "/data/requestId", message, hint)
            self._requests[seen] = at.line
        flow = self._flows.get(at.key(flow_id))
        active = None if flow is not None and flow.uncompleted else flow
        submit = _new_submit(at, data, problems, active)
        self._submits.setdefault(at.key(request, flow_id), []).append(submit)
        self._waiting += 1
        if self._waiting > WAITING:
            yield self._take(next(iter(self._submits))).unanswered

    def result(self, at: At, data: dict[str, Any]) -> Iterator[Finding]:
        """A submit was accepted or refused."""
        request, flow_id = _text(data.get("requestId")), _text(data.get("flowId"))
        key = at.key(request, flow_id)
        if key not in self._submits:
            message = f"no submit {quoted(request)} for flow {quoted(flow_id)} waits for a result"
            yield at.finding("EVT-070", "/data/requestId", message, _ORDER)
            return
        submit = self._take(key)
        if data.get("ok") is True:
            yield from self._accepted(at, submit, flow_id)
        elif data.get("ok") is False:
            if submit.misnamed is not None:
                yield submit.misnamed
            if data.get("error") in _CODES:
                yield from self._refused(at, submit, flow_id, data["error"])

    def completed(self, at: At, data: dict[str, Any], *, valid: bool) -> Iterator[Finding]:
        """A flow has ended, if it has an id."""
        flow_id = _text(data.get("flowId"))
        if not flow_id:
            return
        key = at.key(flow_id)
        flow = self._flows.pop(key, None)
        if flow is None:
            message = f"flow {quoted(flow_id)} {self._when(key, 'did not start in this log')}"
            yield at.finding("EVT-050", "/data/flowId", message, self._hint(key))
            return
        self._ended[key] = at.line
        if data.get("source") != flow.source:
            yield at.finding("EVT-041", "/data/source", "not the source of its started")
        if data.get("toolCallId", _NOTHING) != flow.tool_call:
            yield at.finding("EVT-042", "/data/toolCallId", "not as in its started")
        ended = _milliseconds(data.get("completedAt"))
        if ended is not None and flow.created is not None and ended < flow.created:
            yield at.finding("EVT-044", "/data/completedAt", "before createdAt of its started")
        if valid and flow.questions is not None:
            faults = [*summary_faults(data["result"], flow.questions)]
            faults += row_faults(data["result"], flow.questions)
            for rule, pointer, message in faults:
                yield at.finding(rule, f"/data/result{pointer}", message)
            yield from _disagreements(at, flow.accepted, data["result"])
            for submit in (one for waiting in self._submits.values() for one in waiting):
                if submit.flow is flow:
                    found = _disagreements(at, submit.carried, data["result"])
                    submit.disagrees = tuple(found)

    def _take(self, key: bytes) -> _Submit:
        waiting = self._submits[key]
        submit = waiting.pop(0)
        if not waiting:
            del self._submits[key]
        self._waiting -= 1
        return submit

    def _accepted(self, at: At, submit: _Submit, flow_id: str) -> Iterator[Finding]:
        flow, fault = submit.flow, submit.fault
        accepts = f"accepts the submit of line {submit.unanswered.line}"
        # The envelope is checked before the flow, and the flow before the answer.
        if (flow is None or flow.uncompleted) and not _is_of_envelope(fault):
            key = at.key(flow_id)
            message = f"{accepts}, when flow {quoted(flow_id)} {self._when(key, 'was not active')}"
            yield at.finding("EVT-071", "/data/ok", message, self._hint(key))
        elif fault is not None:
            where = shortened(fault.pointer) or "the payload"
            yield at.finding(fault.rule, "/data/ok", f"{accepts}: {where} is {fault.message}")
        elif flow is not None:
            yield from submit.disagrees
        if flow is not None and not flow.uncompleted:
            message = f"no completed follows for flow {quoted(flow_id)}"
            flow.uncompleted = at.finding("EVT-050", "/data/flowId", message)
            flow.accepted = submit.carried

    def _refused(self, at: At, submit: _Submit, flow_id: str, code: str) -> Iterator[Finding]:
        flow, fault, key = submit.flow, submit.fault, at.key(flow_id)
        refuses = f"refuses the submit of line {submit.unanswered.line} with {code}"
        if fault is not None and _is_of_envelope(fault):
            if code != "invalid_request":
                where = shortened(fault.pointer) or "the payload"
                message = f"{refuses}, when {where} is {fault.message}"
                yield at.finding(fault.rule, "/data/error", message)
        elif code == "flow_not_found":
            if flow is not None:  # it may have failed, or have been aborted or disposed of
                flow.not_found = True
        elif fault is not None and flow is not None:
            if code != "invalid_answer" and fault.rule != "EVT-076":
                message = f"{refuses}, when {shortened(fault.pointer)} is {fault.message}"
                yield at.finding(fault.rule, "/data/error", message)
        elif flow is None or flow.uncompleted or self._flows.get(key) is not flow:
            message = f"{refuses}, when flow {quoted(flow_id)} {self._when(key, 'was not active')}"
            yield at.finding("EVT-071", "/data/error", message, self._hint(key))
        elif submit.carried is not None:
            message = f"{refuses}, when nothing is wrong with it"
            hint = "unless its application failed inside the host (EVT-091)"
            yield at.finding("EVT-094", "/data/error", message, hint)

    def _when(self, key: bytes, otherwise: str) -> str:
        """Since when a flow is not active."""
        if key in self._ended:
            return f"had ended in line {self._ended[key]}"
        return otherwise

    def _hint(self, key: bytes) -> str:
        return "" if key in self._ended else _ORDER


def _new_submit(
    at: At, data: dict[str, Any], problems: list[Problem], flow: _Flow | None
) -> _Submit:
    questions = None if flow is None else flow.questions
    fault = submit_fault(data, problems, questions)
    lost = at.finding("EVT-070", "/data", "no submit-result echoes its requestId and flowId")
    if questions is None or problems:
        return _Submit(lost, flow, fault, None, None)
    named = label_for_value(data, questions)
    return _Submit(
        lost,
        flow,
        fault,
        carried(data) if fault is None else None,
        None if named is None else at.finding(named.rule, f"/data{named.pointer}", named.message),
    )


def _disagreements(at: At, submitted: Carried | None, result: dict[str, Any]) -> Iterator[Finding]:
    """Findings in the `completed` at hand, if there is something that it must agree with."""
    if submitted is not None:
        for rule, pointer, message in differences(submitted, result):
            yield at.finding(rule, f"/data/result{pointer}", message)


def _is_of_envelope(fault: Fault | None) -> bool:
    return fault is not None and fault.rule == ENVELOPE


def _milliseconds(time: Any) -> int | None:
    return time if is_milliseconds(time) else None


def _text(member: Any) -> str:
    """A string, and the empty one for anything else: what a host echoes."""
    return member if isinstance(member, str) else ""
