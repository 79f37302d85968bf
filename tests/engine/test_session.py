"""The conversation: what is sent, what is kept of it, and how long the kit waits."""

from typing import Any
from unittest.mock import ANY

import pytest

from askproof import schemas, wire
from askproof.errors import AdapterError, InternalError
from askproof.faults import Fault, crashed, timed_out
from askproof.session import Session
from tests.engine.helpers import fake

ROLES = {"ask-host": {"capabilities": ["tui", "telepathy"], "variants": {"after-abort": "none"}}}
HANDSHAKE: dict[str, Any] = {
    "protocol": 1,
    "implementation": {"name": "scripted", "version": "1", "language": "python"},
    "namespace": "@scripted/ask",
    "roles": ROLES,
}


class Scripted:
    """A carrier that answers from a list: a result, or a fault to raise."""

    def __init__(self, *script: Any) -> None:
        self.script = [HANDSHAKE, *script]
        self.allowed: list[float] = []
        self.methods: list[str] = []
        self.log: list[str] = []

    def start(self) -> None:
        self.log.append("start")

    def exchange(self, line: bytes, seconds: float) -> bytes:
        request = wire.decode(line)
        assert schemas.is_valid("adapter/request", request)
        self.log.append(request["method"])
        self.allowed.append(seconds)
        self.methods.append(request["method"])
        answer = self.script.pop(0)
        if isinstance(answer, Fault):
            raise answer
        return wire.encode({"jsonrpc": "2.0", "id": request["id"], "result": answer})

    def stderr(self) -> str:
        return ""

    def close(self, seconds: float = 0) -> bool:
        self.log.append(f"close {seconds:g}")
        return True


def test_the_handshake_says_what_is_tested() -> None:
    said = Session(Scripted()).initialize()
    assert said.implementation["name"] == "scripted"
    assert said.capabilities("ask-host") == {"tui", "telepathy"}
    assert said.variants("ask-host") == {"after-abort": "none"}
    assert (said.second_namespace, said.restart) == ("@askproof/second", False)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"protocol": 2}, "the adapter speaks protocol version 2"),
        ({"protocol": 0, "roles": None}, "the adapter speaks protocol version 0"),
        ({"protocol": "1"}, "'1' is not of type 'integer' at /result/protocol"),
        ({"protocol": True}, "True is not of type 'integer' at /result/protocol"),
        ({"namespace": ""}, "at /result/namespace"),
        ({"roles": {"ask-host": {"variants": {}}}}, "at /result/roles/ask-host"),
        ({"restart": 1}, "at /result/restart"),
    ],
)
def test_a_wrong_handshake_ends_the_adapter(change: dict[str, Any], reason: str) -> None:
    carrier = Scripted()
    carrier.script = [HANDSHAKE | change]
    with pytest.raises(AdapterError) as refused:
        Session(carrier).initialize()
    assert reason in str(refused.value)
    assert carrier.log == ["start", "initialize", "close 0"]


def test_unknown_roles_and_members_are_ignored() -> None:
    carrier = Scripted()
    roles = {"ask-host": {"capabilities": []}, "oracle": 1}
    carrier.script = [HANDSHAKE | {"roles": roles, "x": [None]}]
    said = Session(carrier).initialize()
    assert (said.namespace, said.variants("ask-host")) == ("@scripted/ask", {})


def test_a_transcript_holds_what_was_said_in_the_case() -> None:
    session = fake("nothing")
    session.initialize()
    session.begin("ask-host", "tests/ask-host/one")
    session.begin("ask-host", "tests/ask-host/two")
    session.perform("ask-host", {"emit": {"channel": "x:y", "data": "\ud800"}})
    session.close()
    methods = [one["message"].get("method") for one in session.transcript]
    assert methods == ["begin", None, "perform", None]
    assert [one["type"] for one in session.transcript] == ["sent", "received"] * 2
    assert all(schemas.is_valid("transcript/exchange", one) for one in session.transcript)


def test_the_kit_refuses_to_send_what_is_wrong() -> None:
    carrier = Scripted()
    session = Session(carrier)
    session.initialize()
    with pytest.raises(InternalError, match=r"a wrong perform: .* at /emit"):
        session.perform("ask-host", {"emit": {"channel": ""}})
    assert carrier.log == ["start", "initialize"]


def test_only_after_three_hangs_is_a_case_that_follows_one_cut_short() -> None:
    good: dict[str, Any] = {"observations": []}
    ends = ["hang", "good", "hang", "hang", "hang", "good", "hang", "hang", "good", "good"]
    carrier = Scripted()
    session = Session(carrier)
    session.initialize()
    faults = []
    allowed = []
    for number, end in enumerate(ends):
        carrier.script += [HANDSHAKE] * (not session._running)
        carrier.script += [{}, timed_out(10) if end == "hang" else good]
        session.begin("ask-host", f"tests/ask-host/{number}")
        try:
            session.perform("ask-host", {"reload": {}})
        except Fault as fault:
            faults.append((fault.blames, fault.message.partition(" without")[0]))
            session.close(patient=False)
        allowed.append(carrier.allowed[-1])
    # a case that follows one that did not hang, and a start, always get the whole time
    assert allowed == [10, 10, 10, 10, 0.25, 0.25, 10, 0.25, 0.25, 10]
    starts = [
        seconds
        for seconds, method in zip(carrier.allowed, carrier.methods, strict=True)
        if method == "initialize"
    ]
    assert set(starts) == {10}
    blamed, cut = (("ADP-004",), ANY), ((), "cut short after 0.25 s")
    assert faults == [blamed, blamed, blamed, cut, blamed, cut]


def test_a_run_in_which_everything_hangs_takes_two_minutes() -> None:
    carrier = Scripted()
    session = Session(carrier)
    session.initialize()
    waited = 0.0
    for number in range(350):
        carrier.script += [HANDSHAKE] * (not session._running) + [{}, timed_out(10)]
        session.begin("ask-host", f"tests/ask-host/{number}")
        with pytest.raises(Fault):
            session.perform("ask-host", {"reload": {}})
        session.close(patient=False)
        waited += carrier.allowed[-1]
    assert waited < 120


def test_an_adapter_that_hangs_at_its_start_is_cut_short_after_three_times() -> None:
    carrier = Scripted()
    session = Session(carrier)
    carrier.script = [timed_out(10) for _ in range(4)] + [HANDSHAKE]
    for _ in range(4):
        with pytest.raises(AdapterError):
            session.initialize()
    session.initialize()
    assert carrier.allowed == [10, 10, 10, 0.25, 0.25]


def test_a_restart_for_each_case_waits_for_the_adapter_to_exit() -> None:
    carrier = Scripted()
    carrier.script = [HANDSHAKE | {"restart": True}, {}] * 2
    session = Session(carrier)
    session.initialize()
    session.begin("ask-host", "tests/ask-host/x")
    session.begin("ask-host", "tests/ask-host/x")
    assert carrier.log == [
        "start",
        "initialize",
        "begin",
        "close 2",
        "start",
        "initialize",
        "begin",
    ]


def test_a_fault_is_an_error_with_a_message() -> None:
    assert str(crashed("it died")) == "it died"


def test_what_an_adapter_says_in_a_case_is_bounded() -> None:
    session = fake("sound")
    session.initialize()
    large = {"emit": {"channel": "@fake/ask:completed", "data": "x" * 7 * 1024 * 1024}}
    session.begin("ask-host", "tests/ask-host/large")
    for _ in range(2):
        assert len(session.perform("ask-host", large)) == 1
    with pytest.raises(Fault, match="more than 16777216 bytes in one case") as caught:
        session.perform("ask-host", large)
    assert (caught.value.outcome, caught.value.blames) == ("protocol-error", ("ADP-003",))
    session.begin("ask-host", "tests/ask-host/next")
    assert len(session.perform("ask-host", large)) == 1
    session.close()


def test_a_handshake_must_not_change_when_the_adapter_is_started_anew() -> None:
    session = fake("sound")
    session.initialize()
    session.close()
    session.begin("ask-host", "tests/ask-host/again")
    session.handshake = session.handshake._replace(roles={})
    session.close()
    with pytest.raises(AdapterError, match="something else of itself"):
        session.begin("ask-host", "tests/ask-host/changed")
