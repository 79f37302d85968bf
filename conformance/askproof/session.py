"""The conversation with one adapter: `initialize`, `begin`, `perform`, and what may go wrong.

Follows spec/adapter-protocol.md; everything that is said is kept for the transcript of the case.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from askproof import __version__, schemas, wire
from askproof.errors import AdapterError, InternalError
from askproof.faults import Fault, broke_protocol, crashed
from askproof.shown import printable

if TYPE_CHECKING:
    from askproof.carriers import Carrier

PROTOCOL = 1
ALLOWED_SECONDS = 10.0
_SHORTEST_SECONDS = 0.5
_SECOND_NAMESPACE = "@askproof/second"


@dataclass(frozen=True)
class Handshake:
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
        return frozenset(self.roles[role].get("capabilities", ()))

    def variants(self, role: str) -> dict[str, str]:
        """Which of the behaviours that are left open the implementation has."""
        declared: dict[str, str] = self.roles[role].get("variants", {})
        return declared


class Session:
    """One adapter, from its start to its end; started anew after a fault."""

    def __init__(self, carrier: Carrier, seconds: float = ALLOWED_SECONDS) -> None:
        """Take the carrier, and the time that one request may take."""
        self._carrier = carrier
        self._allowed = self._seconds = seconds
        self._number = 0
        self._running = False
        self._used = False
        self.transcript: list[dict[str, Any]] = []

    def initialize(self) -> Handshake:
        """Start the adapter if it does not run, and greet it. Raises AdapterError."""
        self.transcript = []
        self._carrier.start()
        self._running = True
        self._used = False
        try:
            said = self._call(
                "initialize",
                {"protocol": PROTOCOL, "kit": __version__},
                "adapter/initialize-params",
                "adapter/initialize-result",
            )
        except Fault as fault:
            text = self._carrier.stderr()
            self.close()
            raise AdapterError(_no_start(fault, text)) from None
        if said["protocol"] != PROTOCOL:
            self.close()
            raise AdapterError(
                f"the adapter speaks protocol version {said['protocol']}, this kit speaks {PROTOCOL}"
                " (ADP-010); use the kit that belongs to it, or update the adapter"
            )
        self.handshake = Handshake(
            implementation=said["implementation"],
            namespace=said["namespace"],
            second_namespace=said.get("secondNamespace", _SECOND_NAMESPACE),
            roles=said["roles"],
            restart=said.get("restart", False),
        )
        return self.handshake

    def begin(self, role: str, case: str) -> None:
        """Ask for a clean implementation; start the adapter anew if that is needed. Raises Fault."""
        if self._running and self._used and self.handshake.restart:
            self.close()
        if not self._running:
            self.initialize()
        self.transcript = []
        self._used = True
        params = {"role": role, "case": case}
        self._call("begin", params, "adapter/begin-params", "adapter/begin-result")

    def perform(self, role: str, command: dict[str, Any]) -> list[dict[str, Any]]:
        """Perform one command; return what was observed, in order. Raises Fault."""
        said = self._call(
            "perform", command, f"adapter/{role}-command", f"adapter/{role}-perform-result"
        )
        observations: list[dict[str, Any]] = said["observations"]
        return observations

    def stderr(self) -> str:
        """What the adapter wrote to its standard error since the last call."""
        return self._carrier.stderr()

    def close(self) -> None:
        """End the adapter; the next `begin` starts it anew."""
        self._carrier.close()
        self._running = False

    def _call(self, method: str, params: dict[str, Any], asks: str, answers: str) -> dict[str, Any]:
        if not schemas.is_valid(asks, params):
            problem = schemas.explain(asks, params)[0]
            raise InternalError(f"a wrong {method}: {problem.message} at {problem.pointer}")
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        line = wire.encode(request)
        self.transcript.append({"type": "sent", "message": request})
        try:
            answer = self._exchange(line)
            return self._result(answer, method, answers)
        except Fault as fault:
            if fault.raw:
                self.transcript.append({"type": "received", "raw": printable(fault.raw)})
            raise

    def _exchange(self, line: bytes) -> bytes:
        """An adapter that hangs again and again gets less and less time, so that a run ends."""
        try:
            answer = self._carrier.exchange(line, self._seconds)
        except Fault as fault:
            if fault.outcome == "timed-out":
                self._seconds = max(_SHORTEST_SECONDS, self._seconds / 2)
            raise
        self._seconds = self._allowed
        return answer

    def _result(self, answer: bytes, method: str, schema: str) -> dict[str, Any]:
        try:
            message = wire.decode(answer)
        except wire.WireError as error:
            raise broke_protocol(f"answered {method} with {error}", "ADP-003", answer[:200]) from None
        self.transcript.append({"type": "received", "message": message})
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise broke_protocol(f"answered {method} with something that is not JSON-RPC 2.0", "ADP-005")
        if message.get("id") != self._number or isinstance(message.get("id"), bool):
            got = json.dumps(message.get("id"))[:40]
            raise broke_protocol(f"answered request {self._number} with the id {got}", "ADP-001")
        error = message.get("error")
        if isinstance(error, dict):
            text = str(error.get("message"))[:500]
            if error.get("code") == -32000:
                raise crashed(f"the implementation threw: {text}")
            raise broke_protocol(f"refused {method}: {text}", "ADP-005")
        result = message.get("result")
        if not schemas.is_valid(schema, result, "reader"):
            problem = schemas.explain(schema, result, "reader")[0]
            at = f" at /result{problem.pointer}"
            raise broke_protocol(f"answered {method} in a wrong shape: {problem.message}{at}", "ADP-005")
        found: dict[str, Any] = result
        return found


def _no_start(fault: Fault, stderr: str) -> str:
    shown = f": {printable(fault.raw)}" if fault.raw else ""
    said = f"; its standard error ends with: {printable(stderr.strip()[-500:])}" if stderr.strip() else ""
    return f"the adapter did not answer initialize: {fault.message}{shown}{said}"
