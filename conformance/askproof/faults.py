"""The faults of an adapter, told apart from failures of the implementation."""

from __future__ import annotations

NOT_HERE = "write one response for each request there, and all else to the standard error"


class Fault(Exception):  # noqa: N818 - it is no error of the kit
    """An exchange that did not end in an answer.

    Attributes:
        outcome: `crashed`, `timed-out` or `protocol-error`: what the case is counted as.
        message: what happened and what to do about it.
        blames: the requirements of the adapter protocol that were broken.
        raw: the bytes that the adapter wrote, where they are the trouble.
        step: the step of the case in which it happened, from one.
    """

    def __init__(
        self, outcome: str, message: str, blames: tuple[str, ...] = (), raw: bytes = b""
    ) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.message = message
        self.blames = blames
        self.raw = raw
        self.step: int | None = None


def crashed(message: str) -> Fault:
    """The adapter or the implementation died."""
    return Fault("crashed", message)


def timed_out(seconds: float, more: str = "", raw: bytes = b"") -> Fault:
    """No answer in time (ADP-004)."""
    hint = "answer every request, and wait for nothing that the kit has not been told to send"
    return Fault("timed-out", f"no answer within {seconds:g} s{more}; {hint}", ("ADP-004",), raw)


def broke_protocol(message: str, requirement: str, raw: bytes = b"") -> Fault:
    """The adapter did not keep to the protocol."""
    return Fault("protocol-error", message, (requirement,), raw)
