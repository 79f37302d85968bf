"""Checking logs as they lie on disk: each record by itself, and the rules that span events.

A log is JSON Lines of `{time, channel, data}` in the order of emission: whoever writes one wraps
`emit`, or registers its listeners before anybody else. It may hold secrets, so that no message
repeats more of it than ids and pointers. Memory is bounded by the flows that are open.
Receipts, as lines of their own, may be among them: their shape is all that can be checked.
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

    from askproof.schemas import Problem

CHANNELS = frozenset({"started", "submit", "submit-result", "completed", "external-ui"})
REMEMBERED = 65_536
WAITING = 1024

_MAX_POINTER = 200
_MAX_ID = 60
_BLANK = b" \t\r\n"
_NOTHING = object()
_ORDER = "unless the log was not written in the order of emission, or begins in the middle"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong in a log; all of it is printable, and shortened.

    Attributes:
        line: one-based.
        pointer: JSON pointer into the record.
        rule: the requirement that is broken, or `syntax` or `schema`.
        message: what is wrong, without anything that a human answered.
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
    """What a log held."""

    events: int  # of the contract, right or wrong
    ignored: int  # records of other channels
    open: int  # flows that had not ended when the log did, which is no fault
    receipts: int = 0  # receipts in their serialized view
    valid_receipts: int = (
        0  # those among them that have the right shape, and prove nothing (RCP-061)
    )


@dataclass
class _Flow:
    """A flow that has not completed; what started said is None where it was malformed."""

    source: Any
    tool_call: Any
    options: dict[str, list[tuple[str, str]]] | None  # value and label, by question
    uncompleted: Finding | None = None  # once a submit was accepted: true if no completed comes
    not_found: bool = False  # the host denied that it is active


@dataclass(frozen=True)
class _Submit:
    """A submit that waits for its result."""

    unanswered: Finding  # true if no result comes
    flow: _Flow | None  # None if it was not active
    fault: tuple[str, str, str] | None  # why it must be refused: rule, pointer, what is wrong


class _Memory(dict[bytes, int]):
    """Lines by key; the oldest are forgotten."""

    def __setitem__(self, key: bytes, line: int) -> None:
        super().__setitem__(key, line)
        if len(self) > REMEMBERED:
            del self[next(iter(self))]


def lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """Split a stream after its line feeds; only the beginning of a line too long is kept."""
    limit = wire.MAX_BYTES + 2
    while line := stream.readline(limit):
        yield line
        while line and not line.endswith(b"\n"):
            line = stream.readline(limit)


def check_log(
    lines: Iterable[bytes], name: str, namespaces: Collection[str] = ()
) -> Generator[Finding, None, Summary]:
    """Check the lines of a log, as `lines_of` splits them; the value is what the log held.

    Only these namespaces are looked at, or all if none is given. A line that cannot be read is
    one finding, and the rest goes on.
    """
    log = _Log(name, namespaces)
    for line in lines:
        yield from log.read(line)
    yield from log.end()
    return log.summary()


class _Log:
    """The state of a check; `_line`, `_channel` and `_namespace` are of the record at hand."""

    def __init__(self, name: str, namespaces: Collection[str]) -> None:
        self._name = name
        self._namespaces = namespaces
        self._line = self._events = self._ignored = self._receipts = self._valid = 0
        self._channel = self._namespace = ""
        self._flows: dict[bytes, _Flow] = {}
        self._ended = _Memory()
        self._requests = _Memory()
        self._submits: dict[bytes, list[_Submit]] = {}
        self._waiting = 0

    def summary(self) -> Summary:
        still_open = (f for f in self._flows.values() if not (f.uncompleted or f.not_found))
        count = sum(1 for _ in still_open)
        return Summary(self._events, self._ignored, count, self._receipts, self._valid)

    def read(self, raw: bytes) -> Iterator[Finding]:
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
            torn = "the log ends within a line: was it cut off?" if line == raw else ""
            yield self._finding("syntax", "", printable(str(error)), torn)
            return
        if _is_receipt(record):
            yield from self._receipt(record, "")
            return
        if not isinstance(record, dict) or not isinstance(record.get("channel"), str):
            yield self._finding("schema", "", "not an object with time, channel and data")
            return
        self._channel = printable(record["channel"][:_MAX_ID])
        if type(record.get("time")) is not int:
            yield self._finding("schema", "/time", "not an integer: Unix milliseconds")
        self._namespace, _, channel = record["channel"].rpartition(":")
        wanted = self._namespace in (self._namespaces or (self._namespace,))
        of_contract = self._namespace and wanted and channel in CHANNELS
        leaked = wanted and _is_receipt(record.get("data"))
        if leaked:
            yield self._finding("RCP-041", "/data", "a receipt was emitted on an event bus")
            yield from self._receipt(record["data"], "/data")
        if of_contract:
            self._events += 1
            yield from self._event(channel, record.get("data"))
        elif not leaked:
            self._ignored += 1

    def end(self) -> Iterator[Finding]:
        yield from (one.unanswered for waiting in self._submits.values() for one in waiting)
        yield from (one.uncompleted for one in self._flows.values() if one.uncompleted)

    def _event(self, channel: str, data: Any) -> Iterator[Finding]:
        if channel == "external-ui" and isinstance(data, dict):
            data = {**data, "connect": {"handle": "connect"}}  # a function, which no log can hold
        schema = f"events/{channel}"
        valid = schemas.is_valid(schema, data, "reader")
        problems = [] if valid else schemas.explain(schema, data, "reader")
        members = data if isinstance(data, dict) else {}
        refused = channel == "submit-result" and members.get("ok") is False
        unreasoned = not {"error", "message"} <= members.keys()
        for problem in problems:
            of_reason = problem.pointer in ("/error", "/message")
            of_reason |= problem.keyword == "required" and unreasoned
            rule = "EVT-092" if refused and of_reason else "schema"
            yield self._malformed(problem, schema, "/data", rule)
        if channel == "submit":
            yield from self._submit(members, problems)
        elif channel == "submit-result":
            yield from self._result(members)
        elif channel == "started" and _text(members.get("flowId")):
            yield from self._started(members, valid=valid)
        elif channel == "completed" and _text(members.get("flowId")):
            yield from self._completed(members, valid=valid)

    def _receipt(self, receipt: dict[str, Any], where: str) -> Iterator[Finding]:
        """The shape of a receipt and of the prompt in it, to the letter (RCP-024)."""
        self._receipts += 1
        schema = "receipts/receipt"
        problems = schemas.explain(schema, receipt)
        if not problems:
            of_choice = receipt["toolName"] == "ask_user_choice"
            schema = f"receipts/{'choice' if of_choice else 'questionnaire'}-prompt"
            where += "/prompt"
            try:
                prompt = wire.decode(receipt["prompt"].encode("utf-8", "backslashreplace"))
            except wire.WireError:
                yield self._finding("schema", where, "not JSON without repeated keys")
                return
            problems = schemas.explain(schema, prompt)
        self._valid += not problems
        for problem in problems:
            yield self._malformed(problem, schema, where)

    def _malformed(
        self, problem: Problem, schema: str, where: str, rule: str = "schema"
    ) -> Finding:
        # The validator names a missing member; all else that it says may hold an answer.
        missing = problem.message if problem.keyword == "required" else "not well-formed"
        message = printable(f"{missing} ({problem.keyword} in the schema {schema})")
        return self._finding(rule, f"{where}{problem.pointer}", message)

    def _started(self, data: dict[str, Any], *, valid: bool) -> Iterator[Finding]:
        key = self._key(data["flowId"])
        before = self._flows.pop(key, None)
        if before is not None and before.uncompleted:
            yield before.uncompleted
        elif before is not None and not before.not_found:
            message = f"flow {_id(data['flowId'])} is active already"
            hint = "unless that one had failed, or was disposed of when its session ended"
            yield self._finding("EVT-048", "/data/flowId", message, hint)
        questions = data["questions"] if valid else ()
        options = {q["id"]: [(o["value"], o["label"]) for o in q["options"]] for q in questions}
        tool_call = data.get("toolCallId", _NOTHING)
        self._flows[key] = _Flow(data.get("source"), tool_call, options if valid else None)

    def _submit(self, data: dict[str, Any], problems: list[Problem]) -> Iterator[Finding]:
        request, flow_id = _text(data.get("requestId")), _text(data.get("flowId"))
        if request:
            seen = self._key("request", request)
            if seen in self._requests:
                message = f"requestId {_id(request)} was used in line {self._requests[seen]}"
                hint = "unless two bridges count alike, and then they take each other's results"
                yield self._finding("EVT-202", "/data/requestId", message, hint)
            self._requests[seen] = self._line
        flow = self._flows.get(self._key(flow_id))
        active = None if flow is not None and flow.uncompleted else flow
        lost = self._finding("EVT-070", "/data", "no submit-result echoes its requestId and flowId")
        submit = _Submit(lost, active, _fault(data, problems, active))
        self._submits.setdefault(self._key(request, flow_id), []).append(submit)
        self._waiting += 1
        if self._waiting > WAITING:
            yield self._take(next(iter(self._submits))).unanswered

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
            message = f"no submit {_id(request)} for flow {_id(flow_id)} waits for a result"
            yield self._finding("EVT-070", "/data/requestId", message, _ORDER)
            return
        submit = self._take(key)
        if data.get("ok") is True:
            yield from self._accepted(submit, flow_id)
        elif data.get("error") == "flow_not_found" and submit.flow is not None:
            submit.flow.not_found = True

    def _accepted(self, submit: _Submit, flow_id: str) -> Iterator[Finding]:
        flow, accepted = submit.flow, f"accepts the submit of line {submit.unanswered.line}"
        rule, pointer, wrong = submit.fault or ("", "", "")
        # The envelope is checked before the flow, and the flow before the answer.
        if rule != "EVT-072" and (flow is None or flow.uncompleted):
            ended = self._ended.get(self._key(flow_id))
            when = f"had ended in line {ended}" if ended else "was not active"
            message = f"{accepted}, when flow {_id(flow_id)} {when}"
            yield self._finding("EVT-071", "/data/ok", message, "" if ended else _ORDER)
        elif rule:
            where = printable(pointer[:_MAX_ID]) or "the payload"
            yield self._finding(rule, "/data/ok", f"{accepted}, in which {where} is {wrong}")
        if flow is not None and not flow.uncompleted:
            message = f"no completed follows for flow {_id(flow_id)}"
            flow.uncompleted = self._finding("EVT-050", "/data/flowId", message)

    def _completed(self, data: dict[str, Any], *, valid: bool) -> Iterator[Finding]:
        key = self._key(data["flowId"])
        flow = self._flows.pop(key, None)
        if flow is None:
            ended = self._ended.get(key)
            when = f"had ended in line {ended}" if ended else "did not start in this log"
            message = f"flow {_id(data['flowId'])} {when}"
            yield self._finding("EVT-050", "/data/flowId", message, "" if ended else _ORDER)
            return
        self._ended[key] = self._line
        if data.get("source") != flow.source:
            yield self._finding("EVT-041", "/data/source", "not the source of its started")
        if data.get("toolCallId", _NOTHING) != flow.tool_call:
            yield self._finding("EVT-042", "/data/toolCallId", "not as in its started")
        if valid and flow.options is not None:
            for question, row in data["result"]["answers"].items():
                for rule, pointer, message in _row_faults(row, flow.options.get(question)):
                    where = f"/data/result/answers/{escape(question)}{pointer}"
                    yield self._finding(rule, where, message)

    def _finding(self, rule: str, pointer: str, message: str, hint: str = "") -> Finding:
        where = printable(pointer[:_MAX_POINTER]) + ("…" if len(pointer) > _MAX_POINTER else "")
        return Finding(self._name, self._line, where, rule, self._channel, message, hint)

    def _key(self, *ids: str) -> bytes:
        """A key of 16 bytes for ids of any length, in the namespace at hand."""
        return blake2b(repr((self._namespace, *ids)).encode(), digest_size=16).digest()


def _is_receipt(data: Any) -> bool:
    """Whether it bears what no other record does."""
    return isinstance(data, dict) and not data.keys().isdisjoint({"sessionManager", "branchAnchor"})


def _fault(
    data: dict[str, Any], problems: list[Problem], flow: _Flow | None
) -> tuple[str, str, str] | None:
    """Why a submit must be refused if its flow is active: rule, pointer, what is wrong there."""
    found = [(_rule(data, one), one.pointer, "malformed") for one in problems]
    if found:
        return next((fault for fault in found if fault[0] == "EVT-072"), found[0])
    if flow is None or flow.options is None:
        return None
    for question, answer in data["response"].get("answers", {}).items():
        where = f"/response/answers/{escape(question)}"
        if question not in flow.options:
            return "EVT-078", where, "for no question of the flow"
        offered = {option for option, _ in flow.options[question]}
        for position, chosen in enumerate(answer.get("values", [])):
            if chosen not in offered:
                return "EVT-080", f"{where}/values/{position}", "no value that was offered"
    return None


def _rule(data: dict[str, Any], problem: Problem) -> str:
    """The rule by which a host must refuse a submit of this shape."""
    pointer, keyword = problem.pointer, problem.keyword
    if pointer.startswith("/response/answers/"):
        known = {"uniqueItems": "EVT-081", "pattern": "EVT-080", "not": "EVT-080"}
        return known.get(keyword, "EVT-079")
    if pointer == "/response/answers":
        return "EVT-075" if keyword == "type" else "EVT-078"
    if pointer == "/response" and keyword == "required" and "kind" in data["response"]:
        return "EVT-075"
    return "EVT-076" if pointer.startswith("/response/mode") else "EVT-072"


def _row_faults(
    row: dict[str, Any], options: list[tuple[str, str]] | None
) -> Iterator[tuple[str, str, str]]:
    """What is wrong with an answer row of a well-formed result: rule, pointer, message."""
    values, labels, indices = row["values"], row["labels"], row["indices"]
    own = ["customText"] if "customText" in row else []
    if options is None:
        yield "EVT-100", "", "no question of its started"
    elif not len(values) == len(labels) == len(indices) + len(own):
        yield "EVT-101", "", "values, labels and indices are not of one length"
    else:
        for position, index in enumerate(indices):
            known = type(index) is int and index <= len(options)  # the schema takes 1.0, too
            option, label = options[index - 1] if known else (None, None)
            if values[position] != option:
                yield "EVT-101", f"/indices/{position}", "not the index of the value beside it"
            elif labels[position] != label:
                yield "EVT-100", f"/labels/{position}", "not the label that was declared"
        if own and not values[-1] == labels[-1] == row["customText"]:
            yield "EVT-101", "/customText", "not the last value and label"


def _text(member: Any) -> str:
    """A string, and the empty one for anything else: what a host echoes."""
    return member if isinstance(member, str) else ""


def _id(text: str) -> str:
    return value(text[: _MAX_ID * 2], _MAX_ID)
