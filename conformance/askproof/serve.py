"""A Python adapter behind the messages of the adapter protocol: one line in, one line out."""

from __future__ import annotations

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
    """Answer one request line with one response line; both are without their ends."""
    number = None
    try:
        request = wire.decode(line)
        number, method = request["id"], request["method"]
        if method not in ("initialize", "begin", "perform"):
            return _error(number, -32601, f"there is no method {method!r}")
        result = getattr(adapter, method)(request["params"])
    except NotImplementedError as error:
        return _error(number, -32601, str(error) or "not implemented")
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever is thrown is a crash
        return _error(number, -32000, _describe(error))
    try:
        return wire.encode({"jsonrpc": "2.0", "id": number, "result": result})
    except (TypeError, ValueError, RecursionError) as error:
        return _error(number, -32603, f"the result of {method} is not JSON: {error}")


def serve(adapter: PythonAdapter, source: IO[bytes], sink: IO[bytes]) -> None:
    """Answer requests until the source ends."""
    for line in source:
        sink.write(respond(adapter, line.rstrip(b"\r\n")) + b"\n")
        sink.flush()


def _error(number: Any, code: int, message: str) -> bytes:
    error = {"code": code, "message": message}
    return wire.encode({"jsonrpc": "2.0", "id": number, "error": error})


def _describe(error: BaseException) -> str:
    """Name the error and the line that threw it; its text may be anything, even a further error."""
    from traceback import extract_tb, format_exception_only

    text = "".join(format_exception_only(error)).strip()
    for frame in extract_tb(error.__traceback__)[-1:]:
        text += f" ({frame.filename.rpartition('/')[2]}:{frame.lineno}, in {frame.name})"
    return text
