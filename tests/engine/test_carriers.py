"""Faults of adapters that run as processes: each is its own outcome, and the run goes on."""

import os
import re
import signal
import sys
import threading
import tracemalloc
from contextlib import suppress
from typing import Any

import pytest

from askproof import carriers, engine, wire
from askproof.adapters import connect
from askproof.carriers import InProcess, Subprocess
from askproof.errors import AdapterError, UsageError
from askproof.faults import Fault
from askproof.session import Session
from tests.engine.helpers import ECHO, Hasty, fake, fake_command, hasty, is_gone, make_case

FAULTY = make_case(ECHO, ECHO, name="faulty")
SOUND = make_case(ECHO)


def run(session: Session, *chosen: Any) -> list[Any]:
    try:
        session.initialize()
        return list(engine.run(session, chosen))
    finally:
        session.close()


@pytest.mark.parametrize(
    ("mode", "outcome", "blames", "message"),
    [
        ("dies", "crashed", [], "ended with exit status 3; it must run until its input ends"),
        ("is-killed", "crashed", [], "ended with signal 9; it must run until its input ends"),
        ("leaves-a-child", "crashed", [], "ended with exit status 4; it must run until"),
        (
            "half-a-line-and-dies",
            "crashed",
            [],
            "exit status 0, in the middle of a line of 11 bytes",
        ),
        ("throws", "crashed", [], "the implementation threw: no\x1b[2J\nnews"),
        ("hangs", "timed-out", ["ADP-004"], "no answer within 0.3 s; answer every request"),
        (
            "half-a-line",
            "timed-out",
            ["ADP-004"],
            "2 s, only 11 bytes without a line feed; answer",
        ),
        (
            "answers-twice",
            "protocol-error",
            ["ADP-002"],
            "what nobody asked for; write one response",
        ),
        (
            "wrong-id",
            "protocol-error",
            ["ADP-001"],
            "answered request 5 with the id 6; answer each",
        ),
        (
            "out-of-order",
            "protocol-error",
            ["ADP-001"],
            "answered request 5 with the id 4; answer each",
        ),
        ("id-as-text", "protocol-error", ["ADP-001"], 'answered request 5 with the id "5"; answer'),
        ("banner", "protocol-error", ["ADP-002"], "what nobody asked for; write one response"),
        ("invalid-utf-8", "protocol-error", ["ADP-003"], "invalid UTF-8 at byte 34; a response is"),
        ("long-line", "protocol-error", ["ADP-003"], "a line of more than 8388608 bytes"),
        ("deep", "protocol-error", ["ADP-003"], "nested deeper than 64 levels; a response is one"),
        ("nan", "protocol-error", ["ADP-003"], "NaN is not JSON; a response is one line of strict"),
        ("repeated-key", "protocol-error", ["ADP-003"], 'the key "id" is repeated; a response is'),
        ("closes-input", "protocol-error", ["ADP-006"], "closed its standard input or output and"),
        (
            "closes-output",
            "protocol-error",
            ["ADP-006"],
            "keep both until the kit closes the input",
        ),
        ("list", "protocol-error", ["ADP-005"], "something that is not a JSON-RPC 2.0 response"),
        (
            "json-rpc-1",
            "protocol-error",
            ["ADP-005"],
            "something that is not a JSON-RPC 2.0 response",
        ),
        (
            "no-result",
            "protocol-error",
            ["ADP-005"],
            "in a wrong shape: None is not of type 'object'",
        ),
        (
            "wrong-shape",
            "protocol-error",
            ["ADP-005"],
            'shape: {"nothing":"known"} at /result/observations/0; an observation of this role is ',
        ),
        (
            "wrong-shape",
            "protocol-error",
            ["ADP-005"],
            "is of exactly one of the kinds emitted, heard, connected, opened, aborted, tool",
        ),
        (
            "unknown-command",
            "protocol-error",
            ["ADP-005"],
            "does not know the command emit: no\x1b",
        ),
        (
            "unknown-command",
            "protocol-error",
            ["ADP-005"],
            "; perform it, since every adapter of the role needs it, whatever it declares",
        ),
        ("other-error", "protocol-error", ["ADP-005"], "refused perform: no\x1b[2J\nnews"),
    ],
)
def test_a_fault_has_its_outcome_and_the_next_case_runs(
    mode: str, outcome: str, blames: list[str], message: str
) -> None:
    seconds = {"hangs": 0.3, "half-a-line": 2}.get(mode, 60)
    before, faulty, after = run(hasty(mode, seconds), SOUND, FAULTY, SOUND)
    assert (before.outcome, faulty.outcome, after.outcome) == ("passed", outcome, "passed")
    assert message in faulty.message
    assert list(faulty.blames) == blames
    assert faulty.step == (2 if mode == "closes-input" else 1)
    assert faulty.transcript[0]["message"]["method"] == "begin"


@pytest.mark.parametrize(
    "mode", ["nothing", "floods-stderr", "unknown-members", "carriage-return", "ignores-the-end"]
)
def test_what_is_no_fault_passes(mode: str) -> None:
    session = fake(mode)
    session._to_exit = 0.1 if mode == "ignores-the-end" else 10
    session.initialize()
    assert [one.outcome for one in engine.run(session, [FAULTY, SOUND])] == ["passed", "passed"]
    assert session.close() == (mode != "ignores-the-end")


@pytest.mark.parametrize(
    ("mode", "raw"),
    [
        ("banner", 'Welcome\x1b[31m!\n{"jsonrpc": "2.0", "id": 3'),
        ("invalid-utf-8", '{"jsonrpc":"2.0","id":1,"result":"\\xff"}'),
        ("half-a-line", '{"jsonrpc":'),
        ("long-line", "x" * 200),
    ],
)
def test_the_bytes_that_were_in_the_way_are_kept(mode: str, raw: str) -> None:
    (faulty,) = run(hasty(mode, 2 if mode == "half-a-line" else 60), FAULTY)
    kept = [one["raw"] for one in faulty.transcript if "raw" in one]
    assert len(kept) == 1
    assert kept[0].startswith(raw)


def test_stderr_is_kept_for_the_case_and_bounded() -> None:
    tracemalloc.start()
    before, flooded, after = run(fake("floods-stderr"), SOUND, FAULTY, SOUND)
    assert tracemalloc.get_traced_memory()[1] < 8 * 1024 * 1024
    tracemalloc.stop()
    (said,) = [one["text"] for one in flooded.transcript if one["type"] == "stderr"]
    assert said.endswith("x\nthe end")
    assert len(said) == carriers.KEPT_STDERR
    assert [one for one in (*before.transcript, *after.transcript) if one["type"] == "stderr"] == []


def test_a_child_that_is_left_behind_is_ended() -> None:
    (faulty,) = run(fake("leaves-a-child"), FAULTY)
    (said,) = [one["text"] for one in faulty.transcript if one["type"] == "stderr"]
    assert is_gone(int(said.removeprefix("child ")))


@pytest.mark.parametrize("mode", ["hangs", "closes-output", "ignores-the-end"])
def test_no_process_is_left_behind(mode: str) -> None:
    carrier = Subprocess(fake_command(mode))
    session = Session(Hasty(carrier, 0.3))
    session._to_exit = 0.1
    session.initialize()
    assert carrier._process
    pid = carrier._process.pid
    list(engine.run(session, [FAULTY]))
    session.close()
    assert is_gone(pid)
    assert session.close()


def test_an_adapter_that_asks_for_it_is_started_anew_for_each_case() -> None:
    done = run(fake("restarts"), SOUND, SOUND, SOUND)
    said = [one["text"] for result in done for one in result.transcript if one["type"] == "stderr"]
    assert len(set(said)) == 3
    assert [one.outcome for one in done] == ["passed"] * 3


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        (
            "start-dies",
            "initialize: the adapter ended with exit status 3; it must run until its input",
        ),
        ("start-dies", "its standard error ends with: boom"),
        ("start-hangs", "no answer within 0.3 s"),
        (
            "start-banner",
            "nobody asked for; write one response for each request there, and all else",
        ),
        ("start-banner", "to the standard error; it wrote: Welcome!\n{"),
        (
            "start-not-json",
            "is no response: not JSON: Expecting value at column 1; write one response",
        ),
        ("start-not-json", "to the standard error; it wrote: Usage: adapter"),
        (
            "start-version-2",
            "speaks protocol version 2, this kit speaks 1 (ADP-010); use the kit that",
        ),
        ("start-wrong-shape", "'implementation' is a required property"),
    ],
)
def test_an_adapter_that_does_not_start_is_an_error_that_says_what_to_do(
    mode: str, message: str
) -> None:
    session = fake(mode, 0.3 if mode == "start-hangs" else 10)
    with pytest.raises(AdapterError, match=re.escape(message)):
        session.initialize()
    assert session.close()


@pytest.mark.parametrize(
    ("adapter", "reason"),
    [
        ("exec:/no/such/program", "cannot start '/no/such/program': No such file or directory"),
        (f"exec:{os.devnull}", "Permission denied"),
        ("exec:true", "ended with exit status 0"),
        ("python:no_such_module:Adapter", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("python:no/such/file.py:Adapter", "FileNotFoundError"),
        ("python:os.path:Adapter", "os.path has no 'Adapter'"),
        ("python:os.path:sep", "could not be made"),
        (f"python:{sys.executable}:Adapter", "cannot be imported"),
    ],
)
def test_an_adapter_that_is_not_there_is_an_error(adapter: str, reason: str) -> None:
    with pytest.raises(AdapterError, match=re.escape(reason)):
        connect(adapter).initialize()


@pytest.mark.parametrize(
    "adapter", ["", "nothing", "python:", "python:x", "python::x", "python:x:", "exec:", "exec:'"]
)
def test_what_names_no_adapter_is_wrong_usage(adapter: str) -> None:
    with pytest.raises(UsageError):
        connect(adapter)


# In process


class Echo:
    """The fake adapter as an object, and what it does in the faulty case."""

    def __init__(self, fault: Any) -> None:
        self.fault = fault
        self.faulty = False

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        return {
            "protocol": 1,
            "implementation": {"name": "echo", "version": "1", "language": "python"},
            "namespace": "@echo/ask",
            "roles": {"ask-host": {"capabilities": [], "variants": {}}},
        }

    def begin(self, params: dict[str, Any]) -> dict[str, Any]:
        self.faulty = params["case"].endswith("/faulty")
        return {}

    def perform(self, params: dict[str, Any]) -> Any:
        if self.faulty:
            return self.fault()
        emit = params["emit"]
        return {"observations": [{"emitted": emit["channel"], "data": emit["data"]}]}


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise ValueError


def throw(error: BaseException) -> Any:
    raise error


def spin(*, stubborn: bool = False) -> None:
    """Run until the alarm; one that is stubborn swallows it once."""
    try:
        while True:
            pass
    except BaseException:
        if not stubborn:
            raise
    spin()


def print_a_lot() -> dict[str, Any]:
    sys.stdout.write("x" * 200_000 + "\n")
    sys.stderr.buffer.write(b"\xffend")
    sys.stdout.close()
    return {"observations": []}


def in_process(fault: Any, seconds: float = 10) -> Session:
    return Session(Hasty(InProcess(lambda: Echo(fault)), seconds))


@pytest.mark.parametrize(
    ("fault", "outcome", "message"),
    [
        (lambda: throw(KeyError("x")), "crashed", "KeyError: 'x' (test_carriers.py:"),
        (lambda: throw(SystemExit(3)), "crashed", "SystemExit: 3"),
        (lambda: throw(GeneratorExit()), "crashed", "GeneratorExit"),
        (lambda: throw(UnprintableError()), "crashed", "UnprintableError"),
        (lambda: throw(RecursionError("deep")), "crashed", "RecursionError: deep"),
        (lambda: throw(NotImplementedError()), "protocol-error", "does not know the command emit"),
        (lambda: {"observations": [float("nan")]}, "protocol-error", "perform is not JSON: Out of"),
        (
            lambda: {"observations": {1}},
            "protocol-error",
            "perform is not JSON: Object of type set",
        ),
        (lambda: None, "protocol-error", "None is not of type 'object'"),
        (spin, "timed-out", "no answer within 0.3 s"),
        (lambda: spin(stubborn=True), "timed-out", "no answer within 0.3 s"),
        (print_a_lot, "failed", "step 1 was not seen as expected"),
    ],
)
def test_a_fault_in_process_is_the_same_outcome(fault: Any, outcome: str, message: str) -> None:
    session = in_process(fault, 0.3 if outcome == "timed-out" else 10)
    streams = sys.stdout, sys.stderr
    faulty, after = run(session, FAULTY, SOUND)
    assert (faulty.outcome, after.outcome) == (outcome, "passed")
    assert message in faulty.message
    assert (sys.stdout, sys.stderr) == streams


def test_what_is_printed_in_process_is_kept_and_bounded() -> None:
    faulty, after = run(in_process(print_a_lot), FAULTY, SOUND)
    (said,) = [one["text"] for one in faulty.transcript if one["type"] == "stderr"]
    assert said.endswith("xxx\n\\xffend")
    assert len(said) == carriers.KEPT_STDERR + len("\\xff") - 1
    assert after.outcome == "passed"


@pytest.mark.parametrize("spoil", ["flush", "close", "detach"])
def test_what_is_printed_after_a_second_start_is_kept_too(spoil: str) -> None:
    class Loud(Echo):
        def perform(self, params: dict[str, Any]) -> Any:
            print("heard")  # noqa: T201
            getattr(sys.stdout, spoil)()
            return super().perform(params)

    session = Session(InProcess(lambda: Loud(lambda: throw(KeyError("x")))))
    done = run(session, SOUND, FAULTY, SOUND, FAULTY, SOUND, SOUND)
    outcomes = ["passed", "crashed", "passed", "crashed", "passed", "passed"]
    assert [one.outcome for one in done] == outcomes
    assert [one.transcript[-1] for one in done] == [{"type": "stderr", "text": "heard\n"}] * 6


@pytest.mark.parametrize("work", [lambda: None, spin])
def test_the_alarm_of_somebody_else_rings_on(work: Any) -> None:
    def ring(*_: object) -> None:
        pytest.fail("it rang")

    handler = signal.signal(signal.SIGALRM, ring)
    other = signal.setitimer(signal.ITIMER_REAL, 100)
    try:
        with suppress(Fault):
            carriers.within(0.1, work)
        assert signal.getsignal(signal.SIGALRM) is ring
        assert 90 < signal.getitimer(signal.ITIMER_REAL)[0] <= 100
    finally:
        signal.setitimer(signal.ITIMER_REAL, *other)
        signal.signal(signal.SIGALRM, handler)


def test_where_there_is_no_alarm_the_kit_waits() -> None:
    done: list[str] = []
    thread = threading.Thread(target=lambda: done.append(carriers.within(0.001, str, "done")))
    thread.start()
    thread.join()
    assert done == ["done"]


def test_an_interrupt_is_not_a_crash() -> None:
    with pytest.raises(KeyboardInterrupt):
        run(in_process(lambda: throw(KeyboardInterrupt())), FAULTY)


def test_a_line_of_many_bytes_is_sent_and_read_whole() -> None:
    data = "x" * (wire.MAX_BYTES - 1000)
    step = {
        "do": {"emit": {"channel": "completed", "data": data}},
        "see": [{"emitted": "completed"}],
    }
    assert [one.outcome for one in run(fake("nothing"), make_case(step), SOUND)] == ["passed"] * 2


def test_a_command_that_needs_a_capability_names_it() -> None:
    session = in_process(lambda: throw(NotImplementedError("no")))
    reload = make_case({"do": {"reload": {}}, "see": []}, name="faulty")._replace(needs=frozenset())
    (done,) = run(session, reload)
    assert done.message.endswith("or leave the capability that it needs out of initialize: reload")
