"""The reference bridge: what the cases for `ask-bridge` cannot show, or not for so many inputs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    multiple,
    precondition,
    rule,
)

from askproof.schemas import is_valid
from askproof_reference.adapter import NAMESPACE, SECOND_NAMESPACE
from askproof_reference.bridge import AskBridge, Form, Given
from askproof_reference.bridge_adapter import (
    CHANNELS,
    BridgeAdapter,
    Device,
)
from askproof_reference.bus import EventBus
from askproof_reference.deferred import Deferred, Signal
from askproof_reference.flows import Ask
from askproof_reference.host import AskHost

Record = dict[str, Any]

NASTY = ["__proto__", "constructor", "toString", "a.b", "a[0]", "0", "Yes", "yes", "é", "e\u0301"]
names = st.sampled_from(NASTY) | st.text("abyY.é😀\u202e", min_size=1, max_size=4)
labels = st.sampled_from(["Yes", "No", "Yes ", "0"])
typed = st.text("ab \n\t😀\u202e\u0301\ud800", max_size=5)


class Desk:
    """A bus with a bridge on it; the tests play the host, and keep what was seen and emitted."""

    def __init__(self, device: type[Device] = Device, **settings: Any) -> None:
        self.now = 0
        self.bus = EventBus()
        self.seen: list[Record] = []
        self.device = device(self.seen)
        self.bridge = AskBridge(
            self.bus, (NAMESPACE, SECOND_NAMESPACE), self.device, lambda: self.now, **settings
        )
        self.submits: list[Record] = []
        self.bus.on(f"{NAMESPACE}:submit", self.submits.append)

    def emit(self, name: str, namespace: str = NAMESPACE, **members: Any) -> None:
        self.bus.emit(f"{namespace}:{name}", {"version": 1, "flowId": "f", **members})

    def start(self, questions: list[Record], **members: Any) -> None:
        self.emit("started", source="tool", createdAt=1, questions=questions, **members)

    def result(self, error: str = "", at: int = -1, **members: Any) -> None:
        said: Record = {"ok": False, "error": error, "message": ""} if error else {"ok": True}
        said["requestId"] = self.submits[at]["requestId"]
        self.emit("submit-result", **{**said, **members})

    def complete(self, answers: Record, **members: Any) -> None:
        result = {"cancelled": False, "mode": "submit", "questions": [], "answers": answers}
        self.emit("completed", source="tool", completedAt=2, result=result, **members)

    def act(self, then: str, *given: Given | None, form: str = "form-1") -> None:
        self.bridge.act(self.device.forms[form], then, given)

    def connect(self, *, accept: bool = True) -> Callable[[Any], Deferred]:
        providers: list[Record] = []

        def connect(provider: Record) -> bool:
            providers.append(provider)
            return accept

        event = {"version": 1, "mode": "rpc", "toolCallId": "c", "connect": connect}
        self.bus.emit(f"{NAMESPACE}:external-ui", event)
        opener: Callable[[Any], Deferred] = providers[0]["open"]
        return opener

    def take(self) -> list[Record]:
        """What was seen since the last time."""
        seen = self.seen.copy()
        self.seen.clear()
        return seen


def question(ident: str = "deploy", values: tuple[str, ...] = ("yes", "no")) -> Record:
    options = [{"value": value, "label": value.title()} for value in values]
    kind = {"label": "Q1", "type": "single", "required": False}
    return {"id": ident, "prompt": f"{ident}?", **kind, "options": options}


def request(**members: Any) -> Record:
    asked = {"flowId": "f", "toolCallId": "c", "questions": [question()], "signal": Signal()}
    return {"version": 1, **asked, **members}


YES = Given(options=[0])
ROW_YES = {"deploy": {"values": ["yes"], "labels": ["Yes"], "indices": [1]}}
SHOWN = {"shown": "form-1", "questions": [{"prompt": "deploy?", "options": ["Yes", "No"]}]}
ANSWERED = {"told": "form-1", "outcome": "answered", "answers": [["Yes"]]}
CLOSED = {"closed": "form-1"}


def told(outcome: str) -> Record:
    return {"told": "form-1", "outcome": outcome}


@st.composite
def forms(draw: st.DrawFn) -> list[Record]:
    """Questions whose ids and values are nasty, and whose labels are often equal."""
    questions = []
    for ident in draw(st.lists(names, min_size=1, max_size=4, unique=True)):
        values = draw(st.lists(names, min_size=1, max_size=4, unique=True))
        options = [{"value": value, "label": draw(labels)} for value in values]
        questions.append({**question(ident), "prompt": draw(labels), "options": options})
    return questions


@st.composite
def acts(draw: st.DrawFn, questions: list[Record]) -> list[Given | None]:
    """What a human may do to them, by position."""

    def one(asked: Record) -> st.SearchStrategy[Given]:
        positions = st.integers(0, len(asked["options"]) - 1)
        return st.builds(
            Given,
            options=st.sets(positions),
            text=typed,
            note=typed,
            option_notes=st.dictionaries(positions, typed),
        )

    return [draw(st.none() | one(asked)) for asked in questions]


@given(st.data())
def test_a_submit_names_exactly_what_the_human_gave(data: st.DataObject) -> None:
    questions = data.draw(forms())
    human = data.draw(acts(questions))
    desk = Desk()
    desk.start(questions)
    desk.act("submit", *human)

    (submit,) = desk.submits
    assert is_valid("events/submit", submit)
    answers = submit["response"]["answers"]
    for asked, one in zip(questions, human, strict=True):
        entry = answers.pop(asked["id"], {})
        position = {option["value"]: at for at, option in enumerate(asked["options"])}
        assert {position[value] for value in entry.pop("values", ())} == set(
            one.options if one else ()
        )
        notes = {position[value]: note for value, note in entry.pop("optionNotes", {}).items()}
        assert notes == {at: note for at, note in (one.option_notes if one else {}).items() if note}
        assert entry.pop("customText", "") == (one.text if one else "")
        assert entry.pop("note", "") == (one.note if one else "")
        assert entry == {}
    assert answers == {}


@given(forms(), st.sampled_from(["started", "open"]))
def test_a_human_sees_every_prompt_and_label_in_order(questions: list[Record], way: str) -> None:
    desk = Desk()
    if way == "started":
        desk.start(questions)
    else:
        desk.connect()(request(questions=questions))
    (shown,) = desk.take()
    assert shown["questions"] == [
        {"prompt": asked["prompt"], "options": [option["label"] for option in asked["options"]]}
        for asked in questions
    ]


@given(forms(), st.data())
def test_the_host_and_the_bridge_understand_each_other(
    questions: list[Record], data: st.DataObject
) -> None:
    """A real host takes what the bridge sends, by either way, and the human is told as much."""
    desk = Desk()
    host = AskHost(desk.bus, NAMESPACE, lambda: desk.now)
    asked = [{**one, "prompt": "?", "type": "multi"} for one in questions]
    human = data.draw(acts(questions))
    mode = data.draw(st.sampled_from(["tui", "rpc"]))
    outcome = host.ask(Ask(input={"questions": asked}, mode=mode, tool_call_id="c"))
    desk.act("submit", *human)

    answers = outcome.result()["answers"]
    *_, last, closed = [one for one in desk.take() if one != told("accepted")]
    chosen = [answers.get(one["id"], {"labels": []})["labels"] for one in asked]
    assert last == {"told": "form-1", "outcome": "answered", "answers": chosen}
    assert closed == CLOSED
    assert [answer["indices"] for answer in answers.values()] == [
        [at + 1 for at in sorted(one.options)]
        for one in human
        if one and (one.options or any(text.strip() for text in (one.text, one.note)))
    ]
    assert not desk.bus.errors


@pytest.mark.parametrize("then", ["submit", "elaborate", "cancel"])
def test_an_opened_form_resolves_what_was_opened_and_submits_nothing(then: str) -> None:
    desk = Desk()
    host = AskHost(desk.bus, NAMESPACE, lambda: desk.now)
    outcome = host.ask(Ask(input={"questions": [question()]}, mode="rpc", tool_call_id="c"))
    desk.act(then, YES)
    assert outcome.result()["cancelled"] == (then == "cancel")
    assert desk.submits == []
    assert desk.take()[-1] == CLOSED


def test_a_lost_line_is_an_error_for_the_host_and_no_cancel() -> None:
    desk = Desk()
    host = AskHost(desk.bus, NAMESPACE, lambda: desk.now)
    outcome = host.ask(Ask(input={"questions": [question()]}, mode="rpc", tool_call_id="c"))
    desk.device.connected = False
    desk.bridge.line_changed()
    assert isinstance(outcome.exception(), RuntimeError)
    assert desk.take() == [SHOWN, CLOSED]


@pytest.mark.parametrize("order", [*permutations(["result", "completed", "abort"])])
@pytest.mark.parametrize("error", ["", "flow_not_found"])
def test_the_end_is_the_same_in_whatever_order_it_is_heard_of(
    order: tuple[str, ...], error: str
) -> None:
    desk = Desk()
    signal = Signal()
    desk.start([question()])
    desk.act("submit", YES)
    desk.connect()(request(signal=signal))
    steps: dict[str, Callable[[], None]] = {
        "result": lambda: desk.result(error),
        "completed": lambda: desk.complete(ROW_YES),
        "abort": signal.abort,
    }
    for step in order:
        steps[step]()
    seen = desk.take()
    expected = [SHOWN, told("late" if error else "accepted"), ANSWERED, CLOSED]
    assert sorted(map(str, seen)) == sorted(map(str, expected))
    desk.act("submit", YES)
    assert len(desk.submits) == 1


def test_a_host_may_answer_before_the_submit_has_returned() -> None:
    desk = Desk()
    desk.bus.on(f"{NAMESPACE}:submit", lambda _: desk.complete(ROW_YES))
    desk.bus.on(f"{NAMESPACE}:submit", lambda _: desk.result())
    desk.start([question()])
    desk.act("submit", YES)
    assert desk.take() == [SHOWN, ANSWERED, CLOSED, told("accepted")]


def test_a_refused_answer_can_be_corrected() -> None:
    desk = Desk()
    desk.start([question()])
    desk.act("submit")
    desk.result("invalid_answer")
    desk.act("submit", YES)
    desk.result()
    assert desk.take() == [SHOWN, told("refused"), told("accepted")]
    assert desk.submits[0]["requestId"] != desk.submits[1]["requestId"]


def test_the_results_of_other_submits_are_ignored() -> None:
    desk = Desk()
    desk.start([question()])
    desk.start([question()], namespace=SECOND_NAMESPACE)
    desk.act("submit", YES)
    desk.take()
    desk.result(flowId="g")
    desk.result(requestId="r")
    desk.result(namespace=SECOND_NAMESPACE)
    desk.result(version=2)
    assert desk.take() == []
    desk.result()
    desk.result()
    assert desk.take() == [told("accepted")]


def test_bridges_on_one_bus_and_their_lives_never_share_a_request_id() -> None:
    desk = Desk()
    other = Device([])
    AskBridge(desk.bus, [NAMESPACE], other, lambda: 0)
    bridge = desk.bridge
    for life in range(2):
        desk.start([question()], flowId=f"f{life}")
        desk.act("submit", YES, form=f"form-{life + 1}")
        bridge.reload()
    assert len({submit["requestId"] for submit in desk.submits}) == 2
    desk.result(at=0, flowId="f0")
    assert list(other.forms) == ["form-1", "form-2"]
    assert "told" not in str(desk.take())


def test_a_copy_is_shown_and_answered_whatever_becomes_of_the_event() -> None:
    desk = Desk()
    questions = [question()]
    desk.start(questions)
    questions[0]["id"] = "other"
    questions[0]["options"][0]["value"] = "other"
    desk.act("submit", YES)
    assert desk.submits[0]["response"]["answers"] == {"deploy": {"values": ["yes"]}}


def test_a_button_stands_for_what_it_is_mapped_to_and_for_nothing_else() -> None:
    desk = Desk(buttons={"approve": {"deploy": ["yes"]}})
    desk.start([question()])
    form = desk.device.forms["form-1"]
    for button in ("yes", "Yes", "cancel", "", "__proto__", "get"):
        desk.bridge.press(form, button)
    assert desk.submits == []
    desk.bridge.press(form, "approve")
    assert desk.submits[0]["response"] == {
        "kind": "answer",
        "mode": "submit",
        "answers": {"deploy": {"values": ["yes"]}},
    }
    desk.complete(ROW_YES)
    desk.bridge.press(form, "approve")
    assert len(desk.submits) == 1


def test_a_bridge_waits_for_ever_unless_it_was_told_otherwise() -> None:
    desk = Desk()
    desk.start([question()])
    desk.now = 10**12
    desk.bridge.tick()
    assert desk.submits == []


def test_when_patience_ends_the_form_is_cancelled_once() -> None:
    desk = Desk(patience=1000)
    desk.start([question()])
    opened = desk.connect()(request(flowId="g"))
    desk.now = 999
    desk.bridge.tick()
    assert desk.submits == []
    assert not opened.done()
    desk.now = 1000
    desk.bridge.tick()
    desk.bridge.tick()
    assert [submit["response"] for submit in desk.submits] == [{"kind": "cancel"}]
    assert opened.result() == {"kind": "cancel"}


def test_patience_does_not_turn_a_lost_line_into_a_cancel() -> None:
    desk = Desk(patience=1000)
    desk.start([question()])
    desk.device.connected = False
    desk.bridge.line_changed()
    desk.now = 1000
    desk.bridge.tick()
    assert desk.submits == []


def test_what_starts_while_the_line_is_down_is_shown_when_it_is_back() -> None:
    desk = Desk()
    desk.device.connected = False
    desk.start([question()])
    desk.start([question("gone")], flowId="g")
    desk.complete({}, flowId="g")
    assert desk.take() == []
    desk.device.connected = True
    desk.bridge.line_changed()
    desk.bridge.line_changed()
    assert desk.take() == [SHOWN]


def test_open_rejects_what_cannot_be_shown() -> None:
    desk = Desk()
    refused, taken = desk.connect(accept=False), desk.connect()
    wrong: list[Any] = [None, request(version=2), {"version": 1, "flowId": "f"}]
    assert all(taken(one).exception() for one in wrong)
    assert refused(request()).exception()
    desk.device.connected = False
    assert taken(request()).exception()
    desk.device.connected = True
    desk.bridge.line_changed()
    desk.bridge.shutdown()
    assert taken(request(flowId="g")).exception()
    assert desk.take() == []


def test_a_request_that_is_over_before_it_is_opened_is_not_shown() -> None:
    desk = Desk()
    signal = Signal()
    signal.abort()
    assert not desk.connect()(request(signal=signal)).done()
    assert desk.take() == []


def test_a_ui_that_fails_rejects() -> None:
    class OutOfPaper(Device):
        def show(self, form: Form, view: list[Record]) -> None:
            raise RuntimeError("no paper")

    desk = Desk(device=OutOfPaper)
    assert str(desk.connect()(request()).exception()) == "no paper"


def test_nothing_is_open_after_the_end_of_the_session() -> None:
    desk = Desk()
    desk.start([question()])
    opened = desk.connect()(request(flowId="g"))
    desk.take()
    desk.bridge.shutdown()
    assert desk.take() == [CLOSED, {"closed": "form-2"}]
    assert opened.exception()
    desk.start([question()], flowId="h")
    desk.act("submit", YES)
    assert desk.take() == []
    assert desk.submits == []


def test_a_flow_id_may_come_again_when_its_flow_has_ended() -> None:
    desk = Desk()
    desk.start([question()])
    desk.act("submit", YES)
    desk.result("flow_not_found")
    desk.start([question("again")])
    desk.act("submit", YES, form="form-2")
    assert desk.submits[1]["response"]["answers"] == {"again": {"values": ["yes"]}}


json = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.floats(0, 2) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["version", "flowId", "questions", "requestId", "result", "ok", "connect"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=8,
)


@given(st.sampled_from(CHANNELS), json)
def test_nonsense_on_the_bus_changes_nothing(name: str, nonsense: Any) -> None:
    desk = Desk()
    desk.start([question()])
    if name != "submit":
        desk.bus.emit(f"{NAMESPACE}:{name}", nonsense)
    desk.act("submit", YES)
    desk.result()
    desk.complete(ROW_YES)
    seen = [one for one in desk.take() if "form-1" in one.values()]
    assert seen == [SHOWN, told("accepted"), ANSWERED, CLOSED]


forms_shown: Bundle[str] = Bundle("forms_shown")
offered: Bundle[str] = Bundle("offered")
sent: Bundle[Record] = Bundle("sent")
flow_ids = st.sampled_from(["f", "g"])


def test_an_unknown_command_is_refused_and_unknown_members_are_not() -> None:
    adapter = BridgeAdapter()
    adapter.begin({"role": "ask-bridge", "case": "unknown"})
    with pytest.raises(NotImplementedError, match="dance"):
        adapter.perform({"dance": {}})
    assert adapter.perform({"hint": 1, "advance": {"ms": 1, "hint": 1}}) == {"observations": []}


class Commands(RuleBasedStateMachine):
    """Whatever happens, nothing is sent but what a human did to an open form, and that is valid."""

    def __init__(self) -> None:
        super().__init__()
        self.adapter = BridgeAdapter()
        self.adapter.begin({"role": "ask-bridge", "case": "random"})
        self.closed: set[str] = set()
        self.request_ids: set[str] = set()
        self.connections = 0
        self.opened: list[str] = []
        self.aborted: set[str] = set()

    def perform(self, **command: Record) -> list[Record]:
        assert is_valid("adapter/ask-bridge-command", command)
        result = self.adapter.perform(command)
        assert is_valid("adapter/ask-bridge-perform-result", result)
        seen: list[Record] = result["observations"]
        for one in seen:
            if "emitted" in one or "resolved" in one:
                assert command["act"]["form"] not in self.closed
            if "emitted" in one:
                assert is_valid("events/submit", one["data"])
                assert one["data"]["requestId"] not in self.request_ids
                self.request_ids.add(one["data"]["requestId"])
            if "resolved" in one:
                assert is_valid("events/response", one["value"])
                assert one["resolved"] not in self.aborted
            if "offered" in one:
                assert is_valid("events/provider", one["provider"])
            if "closed" in one:
                assert one["closed"] not in self.closed
                self.closed.add(one["closed"])
        return seen

    def emit(self, name: str, **data: Any) -> list[Record]:
        data["version"] = 1
        return self.perform(emit={"channel": f"{NAMESPACE}:{name}", "data": data})

    @rule(target=forms_shown, flow_id=flow_ids)
    def started(self, flow_id: str) -> MultipleResults[str]:
        return shown(self.emit("started", flowId=flow_id, questions=[question()]))

    @rule(flow_id=flow_ids, cancelled=st.booleans())
    def completed(self, flow_id: str, *, cancelled: bool) -> None:
        result = {"cancelled": cancelled, "mode": "submit", "answers": ROW_YES}
        self.emit("completed", flowId=flow_id, result=result)

    @rule(about=sent, error=st.sampled_from(["", "invalid_answer", "flow_not_found"]))
    def answered(self, about: Record, error: str) -> None:
        ids = {"requestId": about["requestId"], "flowId": about["flowId"]}
        seen = self.emit("submit-result", **ids, ok=not error, error=error)
        assert not {one["outcome"] for one in seen if "told" in one} - {OUTCOMES[error]}

    @rule(
        target=sent,
        form=forms_shown,
        then=st.sampled_from(["submit", "elaborate", "cancel"]),
        options=st.sets(st.integers(0, 1)),
    )
    def act(self, form: str, then: str, options: set[int]) -> MultipleResults[Record]:
        act = {"form": form, "then": then, "answers": [{"options": list(options)}]}
        return multiple(*(one["data"] for one in self.perform(act=act) if "emitted" in one))

    @rule(form=forms_shown)
    def press(self, form: str) -> None:
        assert self.perform(press={"form": form, "button": "Yes"}) == []

    @rule(target=offered, accept=st.booleans())
    def connect(self, *, accept: bool) -> MultipleResults[str]:
        self.connections += 1
        stated = {"version": 1, "mode": "rpc", "toolCallId": "c", "accept": accept}
        seen = self.perform(connect={"connection": f"x{self.connections}", **stated})
        return multiple(*(one["offered"] for one in seen))

    @rule(target=forms_shown, connection=consumes(offered), flow_id=flow_ids)
    def open(self, connection: str, flow_id: str) -> MultipleResults[str]:
        asked = {"version": 1, "flowId": flow_id, "toolCallId": "c", "questions": [question()]}
        self.opened.append(connection)
        return shown(self.perform(open={"connection": connection, "request": asked}))

    @precondition(lambda self: self.opened)
    @rule()
    def abort(self) -> None:
        self.aborted.add(self.opened[-1])
        self.perform(abort={"connection": self.opened.pop()})

    @rule(target=forms_shown, connected=st.booleans())
    def line(self, *, connected: bool) -> MultipleResults[str]:
        return shown(self.perform(transport={"connected": connected}))

    @rule()
    def reload(self) -> None:
        self.perform(reload={})

    @rule()
    def advance(self) -> None:
        assert self.perform(advance={"ms": 3_600_000}) == []

    def teardown(self) -> None:
        self.perform(shutdown={})
        assert set(self.adapter._device.forms) == self.closed


OUTCOMES = {"": "accepted", "invalid_answer": "refused", "flow_not_found": "late"}


def shown(seen: list[Record]) -> MultipleResults[str]:
    return multiple(*(one["shown"] for one in seen if "shown" in one))


TestCommands = Commands.TestCase
