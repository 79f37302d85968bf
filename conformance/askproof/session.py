"""The conversation with one adapter: `initialize`, `begin`, `perform`, and what may go wrong.

Follows spec/adapter-protocol.md; everything that is said is kept for the transcript of the case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from askproof import __version__, schemas, wire
from askproof.case import needs
from askproof.errors import AdapterError, InternalError
from askproof.faults import NOT_HERE, Fault, broke_protocol, crashed

if TYPE_CHECKING:
    from askproof.carriers import Carrier

PROTOCOL = 1
ALLOWED_SECONDS = 10.0
_HANGS = 3  # in so many cases an adapter may use up all the time that it has
_CUT = 40  # what is left of that time for a case that is cut short
_SECONDS_TO_EXIT = 2.0
MOST_BYTES_IN_A_CASE = 16 * 1024 * 1024
_SECOND_NAMESPACE = "@askproof/second"
_THREW, _UNKNOWN = -32000, -32601
_SHOWN = 80  # characters of an observation that is wrong


class Handshake(NamedTuple):
    """What an adapter says of itself in `initialize`.

    Attributes:
        implementation: name, version and language.
        namespace: the prefix of its event channels.
        second_namespace: the prefix of the other host, or one that nobody has.
        roles: by role, `capabilities` and `variants`.
        restart: whether every case needs a new process.
    """

    implementation: dict[str, str]
    namespace: str
    second_namespace: str
    roles: dict[str, dict[str, Any]]
    restart: bool

    def capabilities(self, role: str) -> frozenset[str]:
        """What the adapter can make the implementation do in a role."""
        return frozenset(self.roles[role]["capabilities"])

    def variants(self, role: str) -> dict[str, str]:
        """Which of the behaviours that are left open the implementation has."""
        declared: dict[str, str] = self.roles[role].get("variants", {})
        return declared


class Session:
    """One adapter, from its start to its end; started anew after a fault.

    Attributes:
        handshake: what the adapter said of itself.
        transcript: what was said in the present case, as records of `transcript/exchange`.
    """

    handshake: Handshake

    def __init__(
        self, carrier: Carrier, seconds: float = ALLOWED_SECONDS, *, checks: bool = True
    ) -> None:
        """Take the carrier, the time that a request may take, and whether messages are checked."""
        self._checks = checks
        self._carrier = carrier
        self._starts, self._cases = _Patience(seconds), _Patience(seconds)
        self._to_exit = _SECONDS_TO_EXIT
        self._number = 0
        self._running = False
        self._used = False
        self.transcript: list[dict[str, Any]] = []
        self._received = 0

    def initialize(self) -> Handshake:
        """Start the adapter and greet it. Raises AdapterError."""
        self.transcript = []
        self._carrier.start()
        self._running = True
        self._used = False
        params = {"protocol": PROTOCOL, "kit": __version__}
        self._starts.begin()
        try:
            said = self._call("initialize", params, "adapter/initialize", self._starts)
        except Fault as fault:
            text = self._carrier.stderr()
            self.close(patient=False)
            raise AdapterError(_no_start(fault, text)) from None
        except AdapterError:
            self.close(patient=False)
            raise
        handshake = Handshake(
            implementation=said["implementation"],
            namespace=said["namespace"],
            second_namespace=said.get("secondNamespace", _SECOND_NAMESPACE),
            roles=said["roles"],
            restart=said.get("restart", False),
        )
        if getattr(self, "handshake", handshake) != handshake:
            self.close(patient=False)
            raise AdapterError(
                "the adapter said something else of itself than when it started before; what it"
                " declares must not change in a run"
            )
        self.handshake = handshake
        return handshake

    def begin(self, role: str, case: str) -> None:
        """Ask for a clean implementation, of a new adapter if that is needed. Raises Fault."""
        self._cases.begin()
        if self._running and self._used and self.handshake.restart:
            self.close()
        if not self._running:
            self.initialize()
        self.transcript = []
        self._received = 0
        self._used = True
        self._call("begin", {"role": role, "case": case}, "adapter/begin", self._cases)

    def perform(self, role: str, command: dict[str, Any]) -> list[dict[str, Any]]:
        """Perform one command; return what was observed, in order. Raises Fault."""
        said = self._call("perform", command, f"adapter/{role}", self._cases)
        observations: list[dict[str, Any]] = said["observations"]
        return observations

    def stderr(self) -> str:
        """What the adapter wrote to its standard error since the last call."""
        return self._carrier.stderr()

    def close(self, *, patient: bool = True) -> bool:
        """End the adapter, which the next `begin` starts anew; return whether it went by itself."""
        went = self._carrier.close(self._to_exit if patient else 0)
        if patient and not went:
            self._to_exit = 0
        self._running = False
        return went

    def _call(
        self, method: str, params: dict[str, Any], schema: str, patience: _Patience
    ) -> dict[str, Any]:
        asks, answers = f"{schema}-params", f"{schema}-result"
        if method == "perform":
            asks, answers = f"{schema}-command", f"{schema}-perform-result"
        if self._checks and not schemas.is_valid(asks, params):
            problem = schemas.reasons(asks, params)[0]
            raise InternalError(f"a wrong {method}: {problem.message} at {problem.pointer}")
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        line = wire.encode(request)
        if len(line) > wire.MAX_BYTES:
            raise InternalError(f"a {method} that is too long to be sent")
        self.transcript.append({"type": "sent", "message": request})
        try:
            message = self._decoded(self._carrier.exchange(line, patience.seconds))
            result = self._result(message, method, params)
        except Fault as fault:
            if fault.outcome == "timed-out":
                patience.hung(fault)
            if fault.raw:
                raw = fault.raw.decode("utf-8", "backslashreplace")
                self.transcript.append({"type": "received", "raw": raw})
            raise
        if method == "initialize":
            _speaks(result)
        if self._checks and not schemas.is_valid(answers, result, "reader"):
            message = f"answered {method} in a wrong shape: {_misshapen(answers, result)}"
            raise broke_protocol(message, "ADP-005")
        found: dict[str, Any] = result
        return found

    def _decoded(self, line: bytes) -> Any:
        self._received += len(line)
        if self._received > MOST_BYTES_IN_A_CASE:
            text = f"answered with more than {MOST_BYTES_IN_A_CASE} bytes in one case"
            raise broke_protocol(text, "ADP-003")
        try:
            message = wire.decode(line)
        except wire.WireError as error:
            meant = line.lstrip()[:1] == b"{"
            hint = "a response is one line of strict JSON in UTF-8" if meant else NOT_HERE
            text = f"wrote to its standard output a line that is no response: {error}; {hint}"
            raise broke_protocol(text, "ADP-003" if meant else "ADP-002", line[:200]) from None
        self.transcript.append({"type": "received", "message": message})
        return message

    def _result(self, message: Any, method: str, params: dict[str, Any]) -> Any:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            text = f"answered {method} with something that is not a JSON-RPC 2.0 response"
            raise broke_protocol(text, "ADP-005")
        number = message.get("id")
        if type(number) is not int or number != self._number:
            shown = wire.encode(number).decode("ascii")[:40]
            text = f"answered request {self._number} with the id {shown}; answer each once, in turn"
            raise broke_protocol(text, "ADP-001")
        refusal = message.get("error")
        if not isinstance(refusal, dict):
            return message.get("result")
        text = str(refusal.get("message"))[:500]
        if refusal.get("code") == _THREW:
            raise crashed(f"the implementation threw: {text}")
        if refusal.get("code") == _UNKNOWN and method == "perform":
            text = f"does not know the command {next(iter(params))}: {text}; perform it, "
            needed = needs(params)
            if needed:
                text += f"or leave the capability that it needs out of initialize: {needed[0]}"
            else:
                text += "since every adapter of the role needs it, whatever it declares"
            raise broke_protocol(text, "ADP-005")
        raise broke_protocol(f"refused {method}: {text}", "ADP-005")


class _Patience:
    """How long the kit waits for an answer: a run ends, and what is only slow is never cut short.

    An adapter has all the time until it has hung for so long in three cases. From then on a case
    that follows one in which it hung is cut short.

    Attributes:
        seconds: what a request of the present case gets.
    """

    def __init__(self, allowed: float) -> None:
        self._allowed = self.seconds = allowed
        self._hangs = 0
        self._hung = False

    def begin(self) -> None:
        """Begin a case, or a start."""
        short = self._hung and self._hangs >= _HANGS
        self.seconds = self._allowed / _CUT if short else self._allowed
        self._hung = False

    def hung(self, fault: Fault) -> None:
        """Remember it; what was cut short breaks no requirement for certain, and says so."""
        self._hung = True
        if self.seconds == self._allowed:
            self._hangs += 1
            return
        fault.blames = ()
        fault.message = (
            f"cut short after {self.seconds:g} s without an answer: the adapter hung for"
            f" {self._allowed:g} s in {_HANGS} cases, and hung in the case before this one"
        )


def _misshapen(schema: str, result: Any) -> str:
    """What is wrong with the shape of a result; of an observation of no known kind, the kinds."""
    problem = schemas.reasons(schema, result, "reader")[0]
    where = f"at /result{problem.pointer}"
    parent, _, last = problem.pointer.rpartition("/")
    if parent != "/observations" or problem.keyword != "oneOf":
        return f"{problem.message} {where}"
    kinds = schemas.load(schema.replace("perform-result", "observation"))["oneOf"]
    names = ", ".join(str(kind["required"][0]) for kind in kinds)
    seen = wire.encode(result["observations"][int(last)]).decode("ascii")
    cut = seen if len(seen) <= _SHOWN else seen[: _SHOWN - 1] + "…"
    return f"{cut} {where}; an observation of this role is of exactly one of the kinds {names}"


def _speaks(said: Any) -> None:
    """Refuse another version by name before its shape is looked at. Raises AdapterError."""
    version = said.get("protocol") if isinstance(said, dict) else None
    if type(version) in (int, float) and version != PROTOCOL:
        raise AdapterError(
            f"the adapter speaks protocol version {version}, this kit speaks {PROTOCOL}"
            " (ADP-010); use the kit that belongs to it, or update the adapter"
        )


def _no_start(fault: Fault, stderr: str) -> str:
    text = f"the adapter did not answer initialize: {fault.message}"
    if fault.raw:
        text += f"; it wrote: {fault.raw.decode('utf-8', 'backslashreplace')}"
    if stderr.strip():
        text += f"; its standard error ends with: {stderr.strip()[-500:]}"
    return text
