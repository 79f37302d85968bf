"""Whatever an adapter observes, the kit compares it, writes it down and shows it."""

import copy
import io
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askproof import adapters, carriers, engine, results, schemas, wire
from askproof import case as cases
from askproof.carriers import Carrier, InProcess
from askproof.errors import InputError
from askproof.junit import document
from askproof.serve import respond
from askproof.session import Session
from askproof.terminal import Terminal
from tests.engine.helpers import make_case
from tests.engine.test_wire import JSON_VALUES

EMIT = {"emit": {"channel": "submit", "data": 1}}
SEE = {
    "emitted": "completed",
    "data": {"$open": {"a": [1, {"$any": "text"}]}},
    "shows": ["EVT-050"],
}


class Host:
    """Observes what the test wants it to."""

    observed: Any = None

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        return {
            "protocol": 1,
            "implementation": {"name": "host", "version": "1", "language": "python"},
            "namespace": "@host/ask",
            "roles": {"ask-host": {"capabilities": []}},
        }

    def begin(self, params: dict[str, Any]) -> dict[str, Any]:
        return {}

    def perform(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"observations": [{"emitted": "@host/ask:completed", "data": self.observed}]}


NASTY: st.SearchStrategy[Any] = st.sampled_from(
    [
        *({"$absent": True}, {"$optional": 1}),
        *({"$repeat": ["a", 2.0]}, {"$repeat": ["", 10**400]}),
        *("@deploy", "@nothing", "$flow", "$nothing", "/" + "9" * 5000, "\udc80", 1e300, -1, None),
        *(
            {"$any": "text"},
            {"...": "@deploy"},
            {"$literal": "@x"},
            {"$not": 1},
            {"$json": "x"},
            [],
        ),
    ]
)


def run(observed: Any, *steps: dict[str, Any]) -> Any:
    def make() -> Host:
        host = Host()
        host.observed = observed
        return host

    session = Session(InProcess(make))
    session.initialize()
    return engine.run_case(
        session, make_case(*steps or ({"do": EMIT, "see": [SEE]},))
    ), session.handshake


@given(JSON_VALUES)
@example(10**4000)
@example(1e308)
@example({"a": [1, "\ud800"]})
@example({"a": {"/~": "\ud800"}, "": {"__proto__": []}})
def test_what_was_observed_is_compared_written_and_shown(observed: Any) -> None:
    result, handshake = run(observed)
    assert result.outcome in ("failed", "passed")
    records = [results.case_line(result), *results.transcript(result, "python:x:Y", handshake)]
    assert all(wire.decode(results.line(record).encode(), wrapped=True) for record in records)
    assert schemas.explain("results/case", records[0]) == []
    out = io.StringIO()
    Terminal(out, io.StringIO(), "python:x:Y").case(result)
    assert all(line.isprintable() for line in out.getvalue().split("\n"))
    ET.fromstring(document([result], handshake))  # noqa: S314 - the kit wrote it


class Line(Carrier):
    """Answers everything after the handshake with one line, in which `%d` is the right id."""

    def __init__(self, line: bytes) -> None:
        self.line = line

    def start(self) -> None:
        pass

    def exchange(self, line: bytes, seconds: float) -> bytes:
        request = wire.decode(line)
        if request["method"] == "perform":
            return self.line.replace(b"%d", b"%d" % request["id"])
        return respond(Host(), line)

    def stderr(self) -> str:
        return ""

    def close(self, seconds: float = 0) -> bool:
        return True


def answered(line: bytes) -> Any:
    session = Session(Line(line))
    session.initialize()
    return engine.run_case(session, make_case({"do": EMIT, "see": []}))


@given(JSON_VALUES)
def test_a_result_of_any_shape_is_a_protocol_error(result: Any) -> None:
    ended = answered(b'{"jsonrpc":"2.0","id":%d,"result":' + wire.encode(result) + b"}")
    assert (ended.outcome, ended.blames) == ("protocol-error", ("ADP-005",))


@given(JSON_VALUES)
def test_an_observation_of_any_shape_is_a_protocol_error(observation: Any) -> None:
    ended = answered(
        b'{"jsonrpc":"2.0","id":%d,"result":{"observations":[' + wire.encode(observation) + b"]}}"
    )
    assert (ended.outcome, ended.blames) == ("protocol-error", ("ADP-005",))


@given(JSON_VALUES)
def test_an_error_of_any_shape_is_no_pass(error: Any) -> None:
    ended = answered(b'{"jsonrpc":"2.0","id":%d,"error":' + wire.encode(error) + b"}")
    assert ended.outcome == "protocol-error"


@given(JSON_VALUES | st.binary())
def test_a_line_of_any_shape_is_a_protocol_error(line: Any) -> None:
    ended = answered(line if isinstance(line, bytes) else wire.encode(line))
    assert ended.outcome == "protocol-error"
    assert set(ended.blames) < {"ADP-001", "ADP-002", "ADP-003", "ADP-005"}


@pytest.mark.parametrize("levels", [59, 60, 100, 100_000])
def test_a_value_that_is_too_deep_is_a_protocol_error(levels: int) -> None:
    deep: Any = []
    for _ in range(levels):
        deep = [deep]
    result, handshake = run(deep)
    for record in results.transcript(result, "python:x:Y", handshake):
        wire.decode(results.line(record).encode(), wrapped=True)
    assert result.outcome == ("failed" if levels == 59 else "protocol-error")


def test_a_value_that_is_too_long_to_be_sent_back_is_a_protocol_error() -> None:
    see = {"emitted": "completed", "data": {"$any": "text"}, "bind": {"a": "/data"}}
    back = {"emit": {"channel": "submit", "data": ["$a", "$a"]}}
    result, _ = run(
        "x" * (wire.MAX_BYTES // 2), {"do": EMIT, "see": [see]}, {"do": back, "see": []}
    )
    assert (result.outcome, result.step, result.blames) == ("protocol-error", 2, ("ADP-003",))
    assert "too long" in result.message


def test_an_adapter_that_prints_for_ever_is_bounded() -> None:
    class Loud(Host):
        def perform(self, params: dict[str, Any]) -> dict[str, Any]:
            for _ in range(100):
                print("x" * 100_000)  # noqa: T201
            return {"observations": []}

    session = Session(InProcess(Loud))
    session.initialize()
    result = engine.run_case(session, make_case({"do": EMIT, "see": []}))
    (said,) = [one["text"] for one in result.transcript if one["type"] == "stderr"]
    assert (result.outcome, len(said)) == ("passed", carriers.KEPT_STDERR)


@given(st.sampled_from(cases.case_ids()[::7]), st.randoms(use_true_random=False), NASTY)
def test_a_case_with_anything_in_it_is_refused_or_runs(name: str, random: Random, put: Any) -> None:
    data = copy.deepcopy(cases.load(name).source)
    inner: Any = data
    while isinstance(inner, dict | list) and inner:
        place = random.choice([*inner] if isinstance(inner, dict) else range(len(inner)))
        outer, inner = inner, inner[place]
        if random.random() < 0.2:
            break
    outer[place] = put
    try:
        case = cases.check(data, name)
    except InputError:
        return
    session = Session(InProcess(adapters.in_process("reference")))
    session.initialize()
    assert engine.run_case(session, case).outcome in engine.OUTCOMES
