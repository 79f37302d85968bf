"""The faults of an adapter, told apart from failures of the implementation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(eq=False)
class Fault(Exception):
    """An exchange that did not end in an answer.

    Attributes:
        outcome: `crashed`, `timed-out` or `protocol-error`: what the case is counted as.
        message: what happened and what to do about it.
        blames: the requirements of the adapter protocol that were broken.
        raw: the bytes that the adapter wrote, where they are the trouble.
    """

    outcome: str
    message: str
    blames: tuple[str, ...] = ()
    raw: bytes = b""

    def __str__(self) -> str:
        return self.message


def crashed(message: str) -> Fault:
    """The adapter or the implementation died."""
    return Fault("crashed", message)


def timed_out(seconds: float) -> Fault:
    """No answer in time (ADP-004)."""
    hint = "answer every request, and wait for nothing that the kit has not been told to send"
    return Fault("timed-out", f"no answer within {seconds:g} s; {hint}", ("ADP-004",))


def broke_protocol(message: str, requirement: str, raw: bytes = b"") -> Fault:
    """The adapter did not keep to the protocol."""
    return Fault("protocol-error", message, (requirement,), raw)
