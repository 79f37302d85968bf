"""The conversation: what is sent, what is kept of it, and how long the kit waits."""

from typing import Any

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
        self.log: list[str] = []

    def start(self) -> None:
        self.log.append("start")

    def exchange(self, line: bytes, seconds: float) -> bytes:
        request = wire.decode(line)
        assert schemas.is_valid("adapter/request", request)
        self.log.append(request["method"])
        self.allowed.append(seconds)
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


def test_each_case_after_one_that_hung_gets_half_the_time() -> None:
    hang = timed_out(10)
    carrier = Scripted({}, hang, HANDSHAKE, {}, hang, HANDSHAKE, {}, {"observations": []}, {})
    session = Session(carrier)
    session.initialize()
    for _ in range(4):
        session.begin("ask-host", "tests/ask-host/x")
        try:
            if carrier.script:
                session.perform("ask-host", {"reload": {}})
        except Fault:
            session.close(patient=False)
    # initialize, begin and perform; a start always gets the whole time
    assert carrier.allowed == [10, 10, 10, 10, 5, 5, 10, 2.5, 2.5, 10]


def test_an_adapter_that_hangs_at_its_start_gets_less_time_each_time() -> None:
    hang = timed_out(10)
    carrier = Scripted()
    carrier.script = [hang, hang, hang, HANDSHAKE, {}]
    session = Session(carrier)
    for _ in range(3):
        with pytest.raises(AdapterError):
            session.initialize()
    session.initialize()
    assert carrier.allowed == [10, 5, 2.5, 1.25]


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
