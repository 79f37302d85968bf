"""Checking logs as they lie on disk: each record by itself, and the rules that span events.

A log is JSON Lines of `{time, channel, data}` in the order of emission: whoever writes one wraps
`emit`, or registers its listeners before anybody else. It may hold secrets, so that no message
repeats more of it than ids and pointers. Memory is bounded by the flows that are open.
Receipts, as lines of their own, may be among them: their shape is all that can be checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from askproof import schemas, wire
from askproof.check_findings import At, Finding, is_milliseconds, shortened, unnamed
from askproof.check_flows import Flows
from askproof.shown import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Iterator
    from typing import BinaryIO

    from askproof.schemas import Problem

__all__ = ["Finding", "Summary", "check_log", "lines_of"]

CHANNELS = frozenset({"started", "submit", "submit-result", "completed", "external-ui"})

_BLANK = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_MAX_NAMESPACES = 5
_CLOCKS = {"started": "createdAt", "completed": "completedAt"}
_ONE_A_LINE = "JSON Lines are wanted, one record a line: jq -c writes them"


@dataclass(frozen=True)
class Summary:
    """What a log held."""

    events: int  # of the contract, right or wrong
    ignored: int  # records of other channels
    open: int  # flows that had not ended when the log did, which is no fault
    receipts: int = 0  # receipts in their serialized view
    # Those among them that have the right shape, and prove nothing (RCP-061).
    valid_receipts: int = 0
    left_out: tuple[str, ...] = ()  # some namespaces of events that were not asked for


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

    Only these namespaces are looked at, or all if none is given; a colon at the end is the one
    before the channel. A line that cannot be read is one finding, and the rest goes on.
    """
    log = _Log(name, namespaces)
    for line in lines:
        yield from log.read(line)
    yield from log.end()
    return log.summary()


class _Log:
    """The state of a check; `_at` is the record at hand."""

    def __init__(self, name: str, namespaces: Collection[str]) -> None:
        self._at = At(name, 0)
        self._namespaces = {one.removesuffix(":") for one in namespaces}
        self._left_out: list[str] = []
        self._events = self._ignored = self._receipts = self._valid = 0
        self._flows = Flows()
        self._time: int | None = None  # of the record before
        self._ordered = True
        # What ends the document at hand, empty if one may begin, None once anything else was read.
        self._document: bytes | None = b""
        self._documents = 0

    def summary(self) -> Summary:
        counts = (self._events, self._ignored, self._flows.open(), self._receipts, self._valid)
        return Summary(*counts, tuple(self._left_out))

    def end(self) -> Iterator[Finding]:
        yield from self._flows.end()

    def read(self, raw: bytes) -> Iterator[Finding]:
        self._at = At(self._at.file, self._at.line + 1)
        line = raw.removesuffix(b"\n")
        if line.startswith(_BOM):
            message = "it begins with a byte order mark (BOM), which JSON must not have"
            yield self._at.finding("syntax", "", message, "write plain UTF-8, without one")
            line = line.removeprefix(_BOM)
        if not line.strip(_BLANK):
            return
        if len(line) > wire.MAX_BYTES:
            yield self._at.finding("syntax", "", f"longer than {wire.MAX_BYTES} bytes")
            return
        try:
            record = wire.decode(line)
        except wire.WireError as error:
            torn = "" if raw.endswith(b"\n") else "the log ends within a line: was it cut off?"
            yield from self._unreadable(line, printable(str(error)), torn)
            return
        of_array = self._document == b"]"
        if of_array or (self._document and not _is_receipt(record) and not _has_channel(record)):
            return
        self._document = None
        yield from self._record(record)

    def _unreadable(self, line: bytes, message: str, hint: str) -> Iterator[Finding]:
        """A line that is not JSON; those of one document over several lines are one finding."""
        if self._document:
            self._document = b"" if line.rstrip(_BLANK) == self._document else self._document
        elif self._document is not None and not hint and _goes_on(line):
            self._document = b"}" if line.strip(_BLANK).startswith(b"{") else b"]"
            self._documents += 1
            if self._documents == 1:
                message = "a JSON document over several lines, which are not checked"
                yield self._at.finding("syntax", "", message, _ONE_A_LINE)
        else:
            self._document = None
            yield self._at.finding("syntax", "", message, hint)

    def _record(self, record: Any) -> Iterator[Finding]:
        if _is_receipt(record):
            yield from self._receipt(record, "")
            return
        if not _has_channel(record):
            hint = _ONE_A_LINE if isinstance(record, list) else ""
            message = "not an object with time, channel and data"
            yield self._at.finding("schema", "", message, hint)
            return
        namespace, _, channel = record["channel"].rpartition(":")
        shown = shortened(record["channel"])
        self._at = self._at._replace(channel=shown, namespace=namespace)
        yield from self._emission(record.get("time"))
        wanted = not self._namespaces or namespace in self._namespaces
        of_contract = namespace and channel in CHANNELS
        leaked = wanted and _is_receipt(record.get("data"))
        if leaked:
            yield self._at.finding("RCP-041", "/data", "a receipt was emitted on an event bus")
            yield from self._receipt(record["data"], "/data")
        if of_contract and wanted:
            self._events += 1
            yield from self._event(channel, record.get("data"))
        elif not leaked:
            self._ignored += 1
            if of_contract and len(self._left_out) < _MAX_NAMESPACES:
                self._left_out += {shortened(namespace)} - {*self._left_out}

    def _emission(self, time: Any) -> Iterator[Finding]:
        """When a record was emitted: not before the one above it, which is said once."""
        if type(time) is not int:
            yield self._at.finding("schema", "/time", "not an integer: Unix milliseconds")
            return
        if self._ordered and self._time is not None and time < self._time:
            message = "earlier than the record before: the log is not in the order of emission"
            hint = "unless the clock was set back; later ones are not reported"
            yield self._at.finding("order", "/time", message, hint)
            self._ordered = False
        self._time = time

    def _event(self, channel: str, data: Any) -> Iterator[Finding]:
        if channel == "external-ui" and isinstance(data, dict):
            data = {**data, "connect": {"handle": "connect"}}  # a function, which no log can hold
        schema = f"events/{channel}"
        members = data if isinstance(data, dict) else {}
        well_written = schemas.is_valid(schema, data)
        clock = _CLOCKS.get(channel, "")
        readable = well_written or schemas.is_valid(schema, data, "reader")
        problems = [] if readable else schemas.reasons(schema, data, "reader")
        problems = [one for one in problems if one.pointer != f"/{clock}"]
        for problem in problems:
            rule = _rule(problem, channel, members)
            yield self._at.malformed(problem, schema, "/data", rule)
        if clock and clock in members and not is_milliseconds(members[clock]):
            message = f"{clock} must be whole Unix milliseconds, an integer of 12 to 14 digits"
            yield self._at.finding("EVT-044", f"/data/{clock}", message)
        if not well_written:
            yield from self._unnamed(channel, data)
        if channel == "submit":
            yield from self._flows.submit(self._at, members, problems)
        elif channel == "submit-result":
            yield from self._flows.result(self._at, members)
        elif channel == "started":
            yield from self._flows.started(self._at, members, valid=not problems)
        elif channel == "completed":
            yield from self._flows.completed(self._at, members, valid=not problems)

    def _unnamed(self, channel: str, data: Any) -> Iterator[Finding]:
        """Members that readers ignore, and that writers must not write all the same."""
        schema = f"events/{channel}"
        rule = "EVT-007" if channel == "submit" else "EVT-005"
        for problem in schemas.reasons(schema, data):
            if problem.keyword == "additionalProperties":
                message = f"members that the schema {schema} does not name: {unnamed(problem)}"
                yield self._at.finding(rule, f"/data{problem.pointer}", message)

    def _receipt(self, receipt: dict[str, Any], where: str) -> Iterator[Finding]:
        """The shape of a receipt and of the prompt in it, to the letter (RCP-024)."""
        self._receipts += 1
        schema = "receipts/receipt"
        problems = schemas.reasons(schema, receipt)
        if not problems:
            of_choice = receipt["toolName"] == "ask_user_choice"
            schema = f"receipts/{'choice' if of_choice else 'questionnaire'}-prompt"
            where += "/prompt"
            try:
                prompt = wire.decode(receipt["prompt"].encode("utf-8", "backslashreplace"))
            except wire.WireError:
                yield self._at.finding("schema", where, "not JSON without repeated keys")
                return
            problems = schemas.reasons(schema, prompt)
        self._valid += not problems
        for problem in problems:
            yield self._at.malformed(problem, schema, where)


def _is_receipt(data: Any) -> bool:
    """Whether it bears what no other record does."""
    return isinstance(data, dict) and not data.keys().isdisjoint({"sessionManager", "branchAnchor"})


def _goes_on(line: bytes) -> bool:
    """Whether it looks like the beginning of a document that somebody printed prettily."""
    text = line.strip(_BLANK)
    return text.startswith((b"{", b"[")) and text.endswith((b"{", b"[", b",", b":"))


def _has_channel(record: Any) -> bool:
    return isinstance(record, dict) and isinstance(record.get("channel"), str)


def _rule(problem: Problem, channel: str, data: dict[str, Any]) -> str:
    """The rule that a malformed event breaks: that of reasons, or just that of its schema."""
    of_reason = problem.pointer in ("/error", "/message")
    of_reason |= problem.keyword == "required" and not {"error", "message"} <= data.keys()
    refused = channel == "submit-result" and data.get("ok") is False
    return "EVT-092" if refused and of_reason else "schema"
