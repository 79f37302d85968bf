"""A Python adapter behind the messages of the adapter protocol: in process, or on the standard streams."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import IO, Any, Protocol

from askproof import wire


class PythonAdapter(Protocol):
    """What a Python adapter is; the arguments and results are those of spec/adapter-protocol.md."""

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        """Say what is being tested and what it can do."""

    def begin(self, params: dict[str, Any]) -> dict[str, Any]:
        """Make a clean implementation for a case."""

    def perform(self, params: dict[str, Any]) -> dict[str, Any]:
        """Perform one command, let everything settle, and return `{"observations": [...]}`."""


def respond(adapter: PythonAdapter, line: bytes) -> bytes:
    """One request line in, one response line out; both without their ends."""
    number = None
    try:
        request = wire.decode(line)
        number, method = request["id"], request["method"]
        if method not in ("initialize", "begin", "perform"):
            return _error(number, -32601, f"there is no method {method!r}")
        result = getattr(adapter, method)(request["params"])
        return wire.encode({"jsonrpc": "2.0", "id": number, "result": result})
    except NotImplementedError as error:
        return _error(number, -32601, str(error) or "not implemented")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever is thrown is a crash
        return _error(number, -32000, _describe(error))


def serve(adapter: PythonAdapter, source: IO[bytes], sink: IO[bytes]) -> None:
    """Answer requests until the source ends. What the adapter prints goes to the standard error."""
    with redirect_stdout(sys.stderr):
        for line in source:
            sink.write(respond(adapter, line.rstrip(b"\r\n")) + b"\n")
            sink.flush()


def _error(number: Any, code: int, message: str) -> bytes:
    return wire.encode(
        {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}
    )


def _describe(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = ""
    if trace is not None:
        code = trace.tb_frame.f_code
        where = f" ({code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}, in {code.co_name})"
    return f"{type(error).__name__}: {error}{where}"
