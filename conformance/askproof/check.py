"""Checking event logs as they lie on disk: each record by itself, and the rules that span events.

A log is JSON Lines of `{time, channel, data}` in the order of emission: whoever writes one registers
its listeners before anybody else, or wraps `emit`. It may hold secrets, so that no message repeats
more of it than ids and pointers. Memory is bounded by the flows that are open.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from askproof import schemas, wire
from askproof.match import escape
from askproof.shown import printable, value

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Iterator
    from typing import BinaryIO

CHANNELS = frozenset({"started", "submit", "submit-result", "completed", "external-ui"})
REMEMBERED = 65_536
WAITING = 1024

_MAX_POINTER = 200
_BLANK = b" \t\r\n"
_NOTHING = object()
_ORDER = "in a log that was not written in the order of emission, this may be wrong"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong in a log.

    Attributes:
        file: the name of the log.
        line: one-based.
        pointer: JSON pointer into the record, printable and shortened.
        rule: the requirement that is broken; `syntax` for what is no JSON, `schema` for a record of
            the wrong shape.
        channel: of the event, printable; empty where it cannot be told.
        message: what is wrong, without anything that a human answered.
        hint: what to look at; may be empty.
    """

    file: str
    line: int
    pointer: str
    rule: str
    channel: str
    message: str
    hint: str = ""


@dataclass(frozen=True)
class Summary:
    """What a log held.

    Attributes:
        events: events of the contract, whether right or wrong.
        ignored: records of other channels.
        open: flows that had not ended when the log did, which is no fault.
    """

    events: int
    ignored: int
    open: int


@dataclass
class _Flow:
    """An open flow. `questions` are the options (value, label) by question id, None if unknown."""

    source: Any
    tool_call: Any
    questions: dict[str, list[tuple[str, str]]] | None
    accepted_in: int | None = None
    not_found: bool = False


@dataclass(frozen=True)
class _Submit:
    """A submit without its result: the flow if it was active, and why it must be refused."""

    line: int
    channel: str
    flow: _Flow | None
    fault: tuple[str, str, str] | None


class _Memory(dict[bytes, int]):
    """The latest lines in which something was seen, by key."""

    def __setitem__(self, key: bytes, line: int) -> None:
        super().__setitem__(key, line)
        if len(self) > REMEMBERED:
            del self[next(iter(self))]


def lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """Split a stream at its line feeds; of a line that is too long, only enough to tell is kept."""
    limit = wire.MAX_BYTES + 2
    while line := stream.readline(limit):
        yield line
        while line and not line.endswith(b"\n"):
            line = stream.readline(limit)


def check_log(
    lines: Iterable[bytes], name: str, namespaces: Collection[str] | None = None
) -> Generator[Finding, None, Summary]:
    """Check a log, line by line, each with the line feed that ends it.

    A line that cannot be read is one finding, and the rest goes on.

    Args:
        lines: the log, as of `lines_of`.
        name: what findings call it.
        namespaces: the namespaces to look at; all when None.

    Returns:
        What the log held, as the value of the generator.
    """
    log = _Log(name, namespaces)
    for line in lines:
        yield from log.read(line)
    yield from log.end()
    return log.summary()


class _Log:
    """The state of a check. `_line` and `_channel` are those of the record at hand."""

    def __init__(self, name: str, namespaces: Collection[str] | None) -> None:
        self._name = name
        self._namespaces = namespaces
        self._line = self._events = self._ignored = 0
        self._channel = self._namespace = ""
        self._flows: dict[bytes, _Flow] = {}
        self._ended = _Memory()
        self._requests = _Memory()
        self._submits: dict[bytes, list[_Submit]] = {}
        self._waiting = 0

    def summary(self) -> Summary:
        return Summary(
            events=self._events,
            ignored=self._ignored,
            open=sum(not (flow.not_found or flow.accepted_in) for flow in self._flows.values()),
        )

    def read(self, raw: bytes) -> Iterator[Finding]:
        """Check one line."""
        self._line += 1
        self._channel = ""
        line = raw.removesuffix(b"\n")
        if not line.strip(_BLANK):
            return
        if len(line) > wire.MAX_BYTES:
            yield self._finding("syntax", "", f"longer than {wire.MAX_BYTES} bytes")
            return
        try:
            record = wire.decode(line)
        except wire.WireError as error:
            cut = "the log ends in the middle of a line: was it cut off?" if line == raw else ""
            yield self._finding("syntax", "", printable(str(error)), cut)
            return
        if not isinstance(record, dict) or not isinstance(record.get("channel"), str):
            message = "not an object with a time, a channel and data"
            yield self._finding("schema", "", message)
            return
        if type(record.get("time")) is not int:
            yield self._finding("schema", "/time", "not an integer: milliseconds since 1970")
        self._namespace, _, channel = record["channel"].rpartition(":")
        if not self._namespace or channel not in CHANNELS or not self._chosen():
            self._ignored += 1
            return
        self._events += 1
        self._channel = _shown(record["channel"])
        yield from self._event(channel, record.get("data"))

    def _chosen(self) -> bool:
        return self._namespaces is None or self._namespace in self._namespaces

    def end(self) -> Iterator[Finding]:
        """Say what never came."""
        for waiting in self._submits.values():
            for submit in waiting:
                yield self._unanswered(submit)
        for flow in self._flows.values():
            yield from self._uncompleted(flow)

    def _event(self, channel: str, data: Any) -> Iterator[Finding]:
        if channel == "external-ui" and isinstance(data, dict):
            data = {**data, "connect": {"handle": "connect"}}  # no log can hold the function
        problems: list[schemas.Problem] = []
        if not schemas.is_valid(f"events/{channel}", data, "reader"):
            problems = schemas.explain(f"events/{channel}", data, "reader")
        for problem in problems:
            rule = "EVT-092" if _lacks_reason(channel, data, problem) else "schema"
            yield self._finding(rule, f"/data{problem.pointer}", _wrong(channel, problem))
        members = data if isinstance(data, dict) else {}
        if channel == "started":
            yield from self._started(members, well_formed=not problems)
        elif channel == "submit":
            yield from self._submit(members, problems)
        elif channel == "submit-result":
            yield from self._result(members)
        elif channel == "completed":
            yield from self._completed(members, well_formed=not problems)

    def _started(self, data: dict[str, Any], *, well_formed: bool) -> Iterator[Finding]:
        key = self._key(data.get("flowId"))
        before = self._flows.pop(key, None)
        if before is not None and before.accepted_in is not None:
            yield from self._uncompleted(before)
        elif before is not None and not before.not_found:
            message = f"flow {_shown(data.get('flowId'))} is active already"
            hint = "unless that one had failed, or was disposed of with its session"
            yield self._finding("EVT-048", "/data/flowId", message, hint)
        questions = data["questions"] if well_formed else []
        options = {q["id"]: [(o["value"], o["label"]) for o in q["options"]] for q in questions}
        self._flows[key] = _Flow(
            data.get("source"), data.get("toolCallId", _NOTHING), options if well_formed else None
        )

    def _submit(
        self, data: dict[str, Any], problems: list[schemas.Problem]
    ) -> Iterator[Finding]:
        request, flow_id = _text(data.get("requestId")), _text(data.get("flowId"))
        seen = self._key("request", request)
        if request and seen in self._requests:
            message = f"requestId {_shown(request)} was used before, in line {self._requests[seen]}"
            hint = "two bridges that count alike get into each other's way, too"
            yield self._finding("EVT-202", "/data/requestId", message, hint)
        self._requests[seen] = self._line
        flow = self._flows.get(self._key(flow_id))
        if flow is not None and flow.accepted_in is not None:
            flow = None
        fault = _fault(data, problems, flow)
        key = self._key(request, flow_id)
        self._submits.setdefault(key, []).append(_Submit(self._line, self._channel, flow, fault))
        self._waiting += 1
        if self._waiting > WAITING:
            yield self._unanswered(self._take(next(iter(self._submits))))

    def _take(self, key: bytes) -> _Submit:
        waiting = self._submits[key]
        submit = waiting.pop(0)
        if not waiting:
            del self._submits[key]
        self._waiting -= 1
        return submit

    def _result(self, data: dict[str, Any]) -> Iterator[Finding]:
        request, flow_id = _text(data.get("requestId")), _text(data.get("flowId"))
        key = self._key(request, flow_id)
        if key not in self._submits:
            message = (
                f"answers no submit {_shown(request)} for flow {_shown(flow_id)} "
                "that waits for its result"
            )
            yield self._finding("EVT-070", "/data", message, _ORDER)
            return
        submit = self._take(key)
        if data.get("ok") is True:
            yield from self._accepted(submit, flow_id)
        elif data.get("error") == "flow_not_found" and submit.flow is not None:
            submit.flow.not_found = True

    def _accepted(self, submit: _Submit, flow_id: str) -> Iterator[Finding]:
        flow = submit.flow
        at = f"accepts the submit of line {submit.line}"
        if submit.fault is not None:
            rule, pointer, message = submit.fault
            yield self._finding(rule, "/data/ok", f"{at}, where {pointer} {message}")
        elif flow is None or flow.accepted_in is not None:
            ended = self._ended.get(self._key(flow_id))
            when = "was not active" if ended is None else f"had ended in line {ended}"
            message = f"{at}, when flow {_shown(flow_id)} {when}"
            yield self._finding("EVT-071", "/data/ok", message, _ORDER)
        if flow is not None:
            flow.accepted_in = flow.accepted_in or self._line

    def _completed(self, data: dict[str, Any], *, well_formed: bool) -> Iterator[Finding]:
        key = self._key(data.get("flowId"))
        flow = self._flows.pop(key, None)
        if flow is None:
            ended = self._ended.get(key)
            when = "never started in this log" if ended is None else f"had ended in line {ended}"
            message = f"completes flow {_shown(data.get('flowId'))}, which {when}"
            yield self._finding("EVT-050", "/data/flowId", message, "" if ended else _ORDER)
            return
        self._ended[key] = self._line
        if data.get("source") != flow.source:
            yield self._finding("EVT-041", "/data/source", "not the source of its started")
        if data.get("toolCallId", _NOTHING) != flow.tool_call:
            yield self._finding("EVT-042", "/data/toolCallId", "not the one of its started")
        if well_formed and flow.questions is not None:
            for question, row in data["result"]["answers"].items():
                at = f"/data/result/answers/{escape(question)}"
                for rule, pointer, message in _row(row, flow.questions.get(question)):
                    yield self._finding(rule, at + pointer, message)

    def _unanswered(self, submit: _Submit) -> Finding:
        message = "no submit-result with the requestId and the flowId of this submit"
        return Finding(self._name, submit.line, "/data", "EVT-070", submit.channel, message)

    def _uncompleted(self, flow: _Flow) -> Iterator[Finding]:
        if flow.accepted_in is not None:
            message = f"no completed followed the submit that was accepted in line {flow.accepted_in}"
            yield self._finding("EVT-050", "", message)

    def _finding(self, rule: str, pointer: str, message: str, hint: str = "") -> Finding:
        where = printable(pointer)
        if len(where) > _MAX_POINTER:
            where = f"{where[: _MAX_POINTER - 1]}…"
        return Finding(self._name, self._line, where, rule, self._channel, message, hint)

    def _key(self, *ids: object) -> bytes:
        """A short key for ids of any length in the namespace at hand."""
        return blake2b(repr((self._namespace, *ids)).encode(), digest_size=16).digest()
