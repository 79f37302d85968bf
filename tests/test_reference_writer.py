"""The reference writer: whatever happens in whatever order, and what is on the disk then."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from askproof import schemas
from askproof_reference import ids
from askproof_reference.clock import Clock
from askproof_reference.journals import LineFile, SessionJournal, Store
from askproof_reference.writer import ToolResult, Writer, shown
from askproof_reference.writer_adapter import PatientWriterAdapter, WriterAdapter

Record = dict[str, Any]

CANARY = "canary-7f3a"
MARKER = "[REDACTED:secret-answer]"

# Ids


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "q_811c9dc5"),
        ("a", "q_e40c292c"),
        ("Secret?", "q_b4826f0a"),
        ("Deploy?", "q_683ac973"),
        ("Déployer ?", "q_37e53808"),
        ("配置?", "q_ed569647"),
        ("😀", "q_cb31c4b8"),
        ("İ", "q_350b15af"),
    ],
)
def test_the_id_of_a_rich_question_is_a_hash_of_its_code_units(text: str, expected: str) -> None:
    assert ids.question_id(text) == expected


@pytest.mark.parametrize(
    ("ident", "expected"),
    [
        ("deploy", "ask-deploy"),
        ("deploy-note", "ask-deploy-note"),
        ("q_b4826f0a", "ask-q-b4826f0a"),
        *((one, "ask-a-b") for one in ("A/B", "a b")),
        *((one, "ask-q-1") for one in ("q.1", "q_1", "q-1", "-q.1-")),
        ("日本", "ask"),
        ("Ünïcode", "ask-n-code"),
        ("İd", "ask-i-d"),
        (f"{'x' * 75}/{'y' * 10}", f"ask-{'x' * 75}-"),
        ("z" * 100, f"ask-{'z' * 76}"),
    ],
)
def test_the_id_of_a_decision_is_what_is_left_of_the_id(ident: str, expected: str) -> None:
    assert ids.decision_id(ident) == expected
    assert len(expected) <= 80


def test_a_lone_surrogate_is_hashed_as_the_code_unit_that_it_is() -> None:
    assert ids.question_id("\ud800") == f"q_{(2166136261 ^ 0xD800) * 16777619 % 2**32:x}"


# Driving a writer


class Person:
    """Drives a writer through its adapter."""

    def __init__(self, adapter: WriterAdapter | None = None) -> None:
        self.adapter = adapter or WriterAdapter()
        self.adapter.begin({"role": "journal-writer", "case": "x"})
        self.session, self.store = (self.adapter._files[name].path for name in ("session", "store"))

    def perform(self, command: str, **arguments: Any) -> list[Record]:
        """Perform a command, and return what was seen, without what was merely said."""
        result = self.adapter.perform({command: arguments})
        assert schemas.explain("adapter/journal-writer-perform-result", result) == []
        return [one for one in result["observations"] if "said" not in one]

    def ask(self, asked: Any, **more: Any) -> list[Record]:
        return self.perform("ask", call="c", input=asked, **more)

    def act(self, then: str, **given: Any) -> list[Record]:
        return self.perform("act", call="c", then=then, **given)

    def entries(self, path: Path) -> list[Record]:
        """The whole lines of a journal."""
        return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def options(*labels: str) -> list[Record]:
    return [{"label": label} for label in labels]


def batch(*questions: Any) -> Record:
    return {"questions": [*questions]}


DEPLOY = {"id": "deploy", "question": "Deploy?", "options": options("Yes", "No")}
REGIONS = {"id": "regions", "question": "Where?", "options": options("EU", "US"), "multi": True}
SELECT = {"question": "Deploy?", "kind": "select", "options": options("Yes", "No")}
SEVERAL = {**SELECT, "kind": "multi-select"}
TEXT = {"question": "Secret?", "kind": "text"}
EDITOR = {**TEXT, "kind": "editor"}

# Inputs

VALID: tuple[Any, ...] = (
    *(batch(DEPLOY), batch(DEPLOY, REGIONS), SELECT, SEVERAL, TEXT, EDITOR),
    *(batch({**DEPLOY, "timeoutMs": ms}) for ms in (1000, 300_000)),
    *(batch({**DEPLOY, "recommended": 1, "new": 1}), batch(DEPLOY) | {"options": 3}),
    batch({**DEPLOY, "options": [{"label": "Yes", "description": "", "new": 1}]}),
    batch({**DEPLOY, "options": options("Yes", "Yes", " Yes")}),
    *(batch({**DEPLOY, "id": one, "question": "\u0085"}, DEPLOY) for one in ("Deploy", " deploy")),
    *({**SELECT, "default": "No", "sensitivity": one} for one in ("public", "internal", "secret")),
    *({**SEVERAL, "default": one, "reason": ""} for one in ([], ["No"], ["No", "Yes"])),
    *({**TEXT, "default": "", "options": 3, "allowCustom": True}, {**SELECT, "timeoutMs": 5000}),
)
INVALID: tuple[Any, ...] = (
    *(None, [], "ask", 3, {}, {"questions": []}, {"questions": {}}, {"questions": None}),
    *(batch("Deploy?"), batch(DEPLOY, DEPLOY), batch(DEPLOY, {}), {**SELECT, **batch(DEPLOY)}),
    *({**batch(DEPLOY), "kind": "text"}, {**batch(DEPLOY), "question": "Deploy?"}),
    *(batch({**DEPLOY, "id": one}) for one in ("", " \ufeff", None, 3)),
    *(batch({**DEPLOY, "question": one}) for one in ("", "\u2028", None, 3)),
    *(batch({**DEPLOY, "options": one}) for one in ([], None, "Yes", ["Yes"], {"label": "Yes"})),
    *(batch({**DEPLOY, "options": [{"label": one}]}) for one in ("", "\u3000", None, 3)),
    batch({**DEPLOY, "options": [{"label": "Yes", "description": None}]}),
    *(batch({**DEPLOY, "recommended": one}) for one in (-1, 2, True, 1.0, "1", None)),
    *(batch({**DEPLOY, "multi": one}) for one in (0, 1, "true", None)),
    *(
        {**one, "timeoutMs": ms} if "kind" in one else batch({**one, "timeoutMs": ms})
        for one in (DEPLOY, REGIONS, SELECT, SEVERAL)
        for ms in (999, 300_001, 0, -1000, 1000.0, 1000.5, "1000", True, None)
    ),
    *({**TEXT, "kind": one} for one in ("confirm", "SELECT", "", None, 3)),
    *(
        {"question": "Deploy?"},
        {"kind": "text"},
        {**TEXT, "kind": []},
        {"question": "?", "kind": "select"},
        {**SELECT, "options": []},
        {**TEXT, "question": ""},
    ),
    *({**TEXT, "sensitivity": one} for one in ("Secret", "", None)),
    *({**TEXT, "reason": 3}, {**TEXT, "allowCustom": 1}, {**TEXT, "default": 3}),
    *({**SELECT, "default": one} for one in ("Maybe", "", ["Yes"], 0, None)),
    *({**SEVERAL, "default": one} for one in ("Yes", ["Maybe"], ["Yes", "Yes"], [0], None)),
    # What is wrong in another way as well is not merely unsupported.
    *({**one, "question": " ", "timeoutMs": 1000} for one in (TEXT, EDITOR)),
)
UNSUPPORTED = [{**one, "timeoutMs": ms} for one in (TEXT, EDITOR) for ms in (1000, 0, "soon", None)]


@pytest.mark.parametrize("asked", VALID, ids=str)
def test_what_is_valid_is_shown(asked: Any) -> None:
    assert Person().ask(asked) == [{"shown": "c", "question": 0}]


def refused(person: Person, asked: Any, **more: Any) -> str:
    """The status with which an input is refused; nothing else happens then, or later."""
    ((seen),) = person.ask(asked, **more)
    assert seen["error"]["message"]
    assert person.act("answer", options=[0], text="x") == []
    assert person.perform("advance", ms=300_000) == []
    assert not person.store.exists()
    return str(seen["error"]["status"])


@pytest.mark.parametrize("asked", INVALID, ids=str)
@pytest.mark.parametrize("ui", [True, False])
def test_what_is_wrong_is_invalid(asked: Any, ui: bool) -> None:  # noqa: FBT001 - a parameter
    assert refused(Person(), asked, ui=ui) == "invalid"


@pytest.mark.parametrize("asked", UNSUPPORTED, ids=str)
def test_a_dialog_with_a_timeout_is_unsupported(asked: Any) -> None:
    assert refused(Person(), asked) == "unsupported"


@pytest.mark.parametrize("asked", VALID, ids=str)
def test_without_a_user_interface_nobody_is_asked(asked: Any) -> None:
    assert refused(Person(), asked, ui=False) == "unavailable"


# Whatever happens: a picture of one ask, in other words than those of the reference

IDS = {"Secret?": "q_b4826f0a", "Deploy?": "q_683ac973"}
DECISION_IDS = {
    "deploy": "ask-deploy",
    "regions": "ask-regions",
    "A/B": "ask-a-b",
    "q_b4826f0a": "ask-q-b4826f0a",
    "q_683ac973": "ask-q-683ac973",
}
# Texts, and whether the specification calls them blank.
TEXTS = {CANARY: False, " x ": False, "a\u2028\x00\ud800b": False, "": True, " \ufeff": True}
timeouts = st.sampled_from([{}, {"timeoutMs": 1000}, {"timeoutMs": 1700}])
recommendations = st.sampled_from([{}, {"recommended": 0}, {"recommended": 2}])


@st.composite
def batches(draw: st.DrawFn) -> Record:
    asked = []
    for ident in draw(st.permutations(["deploy", "regions", "A/B"]))[: draw(st.integers(1, 3))]:
        question = {"id": ident, "question": f"{ident}?", "options": options("a", "b", "c")}
        asked.append(
            question | draw(timeouts) | draw(recommendations) | {"multi": draw(st.booleans())}
        )
    return {"questions": asked}


@st.composite
def rich_questions(draw: st.DrawFn) -> Record:
    kind = draw(st.sampled_from(["select", "multi-select", "text", "editor"]))
    asked: Record = {"question": draw(st.sampled_from([*IDS])), "kind": kind}
    asked |= draw(st.sampled_from([{}, *({"sensitivity": one} for one in ("public", "secret"))]))
    if kind in ("text", "editor"):
        return asked | draw(st.sampled_from([{}, {"default": "typed"}]))
    asked |= {"options": options("a", "b", f"c {CANARY}")} | draw(timeouts)
    default = ["c " + CANARY, "a"] if kind == "multi-select" else "b"
    return asked | draw(st.sampled_from([{}, {"default": default}]))


class Interleaving(Person):
    """Lets this and that happen to one ask, and predicts what is seen."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.patient = data.draw(st.booleans())
        super().__init__(PatientWriterAdapter() if self.patient else WriterAdapter())
        self.blocked: set[str] = set()
        self.now = 0
        self.decided = 0
        self.written: dict[str, list[Record]] = {"session": [], "store": []}

    def pick(self, *these: Any) -> Any:
        return self.data.draw(st.sampled_from(these))

    def converse(self) -> None:
        """Something is asked, and somebody acts until it has ended, or not."""
        self.asked = self.data.draw(st.one_of(batches(), rich_questions()))
        self.rich = "kind" in self.asked
        self.questions = self.asked.get("questions", [self.asked])
        self.ended = False
        self.done: dict[int, tuple[str, Any]] = {}
        self.typed = {at: self.default_text(one) for at, one in enumerate(self.questions)}
        self.marked = {at: self.default_marks(one) for at, one in enumerate(self.questions)}
        self.expected: list[Record] = []
        self.come_up(0)
        self.check(self.ask(self.asked))
        for _ in range(self.data.draw(st.integers(3, 9))):
            getattr(self, self.pick("human", "human", "human", "time", "time", "fault"))()
        self.interruption()

    def default_text(self, question: Record) -> str:
        return str(question.get("default", "")) if "options" not in question else ""

    def default_marks(self, question: Record) -> set[str]:
        default = question.get("default", [])
        return {*default} if isinstance(default, list) else {default}

    def allowed(self, at: int) -> int | None:
        question = self.questions[at]
        if question.get("kind") in ("text", "editor"):
            return None
        assumed = 30_000 if self.rich and not self.patient else None
        allowed: int | None = question.get("timeoutMs", assumed)
        return allowed

    def is_multi(self, at: int) -> bool:
        question = self.questions[at]
        return bool(question.get("multi") or question.get("kind") == "multi-select")

    # What is done

    def human(self) -> None:
        then = self.pick("answer", "answer", "answer", "stay", "stay", "back", "forward", "cancel")
        given: Record = {}
        if self.pick(0, 1):
            given["options"] = self.pick([0], [1], [2], [2, 0], [0, 7], [7], [])
        if self.pick(0, 0, 1):
            given["text"] = self.pick(*TEXTS)
        if not self.ended:
            self.foresee(then, **given)
        self.check(self.act(then, **given))

    def foresee(self, then: str, options: Any = (), text: str | None = None, **_: Any) -> None:
        at = self.at
        labels = [one["label"] for one in self.questions[at].get("options", [])]
        chosen = [labels[position] for position in options if position < len(labels)]
        if options != ():
            self.marked[at] = {*(chosen if self.is_multi(at) else chosen[-1:])}
            if chosen and not self.is_multi(at):
                self.typed[at] = ""
        if text is not None:
            self.typed[at] = text
        if then == "answer" and (answer := self.confirmed(at)) is not None:
            self.done[at] = ("answered", answer)
            self.go_on()
        elif then == "back" and at > 0:
            self.come_up(at - 1)
        elif then == "forward":
            self.go_on()
        elif then == "cancel":
            self.close({at: ("cancelled", None)})

    def confirmed(self, at: int) -> Any:
        text = self.typed[at]
        if "options" not in self.questions[at]:
            return text
        blank = TEXTS.get(text, False)
        if self.is_multi(at):
            return self.picked(at) | ({} if blank else {"customInput": text})
        if not blank:
            return {"selectedOptions": [], "customInput": text}
        return self.picked(at) if self.marked[at] else None

    def picked(self, at: int) -> Record:
        labels = [one["label"] for one in self.questions[at]["options"]]
        return {"selectedOptions": [label for label in labels if label in self.marked[at]]}

    def time(self) -> None:
        ms = self.pick(0, 400, 999, 1000, 1700, 5000, 40_000)
        until = self.now + ms
        while not self.ended and self.runs_out is not None and self.runs_out <= until:
            self.now, at = self.runs_out, self.at
            if self.rich:
                self.close({at: ("timed-out", None)})
                continue
            recommended = self.questions[at]["options"][self.questions[at].get("recommended", 0)]
            first = {"selectedOptions": [recommended["label"]]}
            self.done[at] = ("timed-out", self.picked(at) if self.is_multi(at) else first)
            self.go_on()
        self.now = until
        self.check(self.perform("advance", ms=ms))

    def fault(self) -> None:
        journal, how = self.pick("session", "store"), self.pick("full", "denied", "free", "free")
        (self.blocked.discard if how == "free" else self.blocked.add)(journal)
        self.check(self.perform("block", journal=journal, how=how))

    def interruption(self) -> None:
        """Whatever is still asked ends with an error, and is not written."""
        how = self.pick("superseded", "unavailable", "failed")
        seen = self.perform("interrupt", call="c", how=how)
        assert [one["error"]["status"] for one in seen] == [how] * (not self.ended)
        self.ended = True
        self.check(self.act("answer", options=[0], text="x"))

    # What follows

    def come_up(self, at: int) -> None:
        self.at = at
        self.expected.append({"shown": "c", "question": at})
        allowed = None if at in self.done else self.allowed(at)
        self.runs_out = None if allowed is None else self.now + allowed

    def go_on(self) -> None:
        if self.at == len(self.questions) - 1:
            self.close(self.done)
        else:
            self.come_up(self.at + 1)

    def close(self, became: dict[int, tuple[str, Any]]) -> None:
        self.ended, self.decided = True, self.decided + len(became)
        outcomes = []
        for at in range(len(self.questions)):
            if at in became:
                decision, outcome = self.told(self.questions[at], *became[at])
                outcomes.append(outcome)
                for journal in self.written.keys() - self.blocked:
                    self.expected.append({"appended": journal, "payload": decision})
        empty = any(answer is None for _, answer in became.values())
        faults = len(self.blocked) if became else 0
        result = {"outcomes": outcomes, "cancelled": empty, "diagnostics": faults}
        self.expected.append({"tool": "c", "result": result})

    def told(self, question: Record, status: str, answer: Any) -> tuple[Record, Record]:
        """The decision and the outcome of a question."""
        rich = {"kind": question["kind"]} if self.rich else {}
        if self.rich:
            rich["sensitivity"] = question.get("sensitivity", "internal")
        elif question["multi"]:
            rich["multi"] = True
        source = "none" if answer is None else "human" if status == "answered" else "automatic"
        provenance = {"timedOut": status == "timed-out", "answerSource": source}
        ident = question.get("id") or IDS[question["question"]]
        value = answer
        if rich.get("sensitivity") == "secret":
            answer = value = answer if answer is None else MARKER
        elif self.rich and isinstance(answer, dict):
            chosen = answer["selectedOptions"] + [*answer.values()][1:]
            value = chosen if question["kind"] == "multi-select" else chosen[0]
        decision = {
            "decisionId": DECISION_IDS[ident],
            "status": status,
            "question": question["question"],
            "metadata": {"source": "ask", **provenance, **rich},
        }
        outcome = {"questionId": ident, "status": status, **provenance}
        if answer is not None:
            decision["answer"], outcome["value"] = answer, value
        return decision, outcome

    def check(self, seen: list[Record]) -> None:
        """Compare what was seen with what was expected, each journal by itself."""
        if self.questions[0].get("sensitivity") == "secret":
            assert CANARY not in json.dumps(seen)
        assert [one for one in seen if "appended" not in one] == [
            self.shape(one, seen) for one in self.expected if "appended" not in one
        ]
        for journal, written in self.written.items():
            entries = [json.loads(one["text"]) for one in seen if one.get("appended") == journal]
            payloads = [
                one["data"] if journal == "session" else one["entry"]["payload"] for one in entries
            ]
            assert payloads == [
                one["payload"] for one in self.expected if one.get("appended") == journal
            ]
            for entry in entries:
                assert schemas.explain(f"journal/{journal}-entry", entry) == []
            written.extend(entries)
        tools = [one for one in seen if "tool" in one and "result" in one]
        if tools:
            assert seen[-1] is tools[0], "an ask has ended when everything is written"
            automatic = "automatic" in json.dumps(tools[0]["result"])
            assert automatic == ("automatic" in tools[0]["text"])
            assert automatic == ("automatic" in tools[0]["card"])
        self.expected.clear()

    def shape(self, expected: Record, seen: list[Record]) -> Record:
        """What is expected, with the texts that are seen, which are for people."""
        if "tool" not in expected:
            return expected
        tool = seen[-1]
        diagnostics = tool["result"]["diagnostics"]
        assert len(diagnostics) == expected["result"]["diagnostics"]
        result = expected["result"] | {"diagnostics": diagnostics}
        return expected | {"result": result, "text": tool["text"], "card": tool["card"]}

    def check_files(self) -> None:
        """Every record that was seen lies in its file, in order, on a line of its own."""
        for path, kind in ((self.session, "custom"), (self.store, "entry")):
            found = []
            for line in path.read_bytes().split(b"\n") if path.exists() else []:
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue
                if kind in (entry.get("type"), entry.get("kind")):
                    found.append(entry)
            assert found == self.written[path.stem]


def test_whatever_happens_it_is_decided_and_written_once() -> None:
    decided: list[int] = []

    @settings(max_examples=300)
    @given(st.data())
    def run(data: st.DataObject) -> None:
        interleaving = Interleaving(data)
        for _ in range(2):
            interleaving.converse()
        interleaving.check_files()
        decided.append(interleaving.decided)

    run()
    assert sum(decided) > len(decided), "where hardly anything is decided nothing is shown"


def test_who_goes_back_answers_in_any_order_and_once() -> None:
    person = Person()
    person.ask(batch(DEPLOY, REGIONS, {**DEPLOY, "id": "last"}))
    for then, what in (
        *(("forward", {}), ("answer", {"options": [0, 1]}), ("back", {}), ("back", {})),
        *(("answer", {"options": [0]}), ("back", {}), ("answer", {"text": "later"})),
        *(("forward", {}), ("stay", {"options": [0]})),
    ):
        person.act(then, **what)
    assert not person.store.exists()
    (*_, ended) = person.act("forward")
    values = [(one["questionId"], one["value"]) for one in ended["result"]["outcomes"]]
    assert values == [
        ("deploy", {"selectedOptions": [], "customInput": "later"}),
        ("regions", {"selectedOptions": ["EU", "US"]}),
    ]
    payloads = [one["entry"]["payload"] for one in person.entries(person.store) if "entry" in one]
    assert [one["decisionId"] for one in payloads] == ["ask-deploy", "ask-regions"]
    assert [one["answer"] for one in payloads] == [value for _, value in values]


def test_time_that_passes_at_once_ends_one_question_after_the_other() -> None:
    person = Person()
    person.ask(batch({**DEPLOY, "timeoutMs": 1000}, {**REGIONS, "timeoutMs": 1500}))
    assert person.perform("advance", ms=999) == []
    assert person.perform("advance", ms=1) == [{"shown": "c", "question": 1}]
    assert person.perform("advance", ms=1499) == []
    assert "result" in person.perform("advance", ms=10_000)[-1]
    stamps = [entry["entry"]["createdAt"] for entry in person.entries(person.store)[:1]]
    assert stamps == ["2023-11-14T22:13:22.500Z"]


# Secrets

SECRETS = [
    ({**TEXT, "default": CANARY}, {}),
    *(({**one, "sensitivity": "secret"}, {"text": CANARY}) for one in (TEXT, EDITOR)),
    *product(
        [
            {**SELECT, "options": options("No", CANARY), "kind": one}
            for one in ("select", "multi-select")
        ],
        [{"options": [1]}, {"text": CANARY}, {"options": [0, 1], "text": CANARY}],
    ),
]


@pytest.mark.parametrize("how", ["answer", "cancel", "time", "superseded", "full"])
@pytest.mark.parametrize(("asked", "given"), SECRETS, ids=str)
def test_nothing_of_a_secret_answer_is_left_anywhere(
    asked: Record, given: Record, how: str
) -> None:
    person = Person()
    person.ask({**asked, "sensitivity": "secret"})
    if how == "full":
        person.perform("block", journal="store", how="full")
        person.perform("block", journal="session", how="full")
    seen = person.act("stay", **given)
    if how == "time":
        seen += person.perform("advance", ms=30_000)
    elif how == "superseded":
        seen += person.perform("interrupt", call="c", how=how)
    else:
        seen += person.act("cancel" if how == "cancel" else "answer")
    assert CANARY not in json.dumps(seen)
    files = [path.read_text() for path in (person.session, person.store) if path.exists()]
    assert CANARY not in "".join(files)
    if how == "answer":
        assert "".join(files).count(MARKER) == 2
        assert seen[-1]["result"]["outcomes"][0]["value"] == MARKER


# Text

wild = st.text(st.characters(), min_size=1)


@given(wild, wild)
def test_texts_are_written_exactly(question: str, typed: str) -> None:
    for text in (question, typed):
        assume(json.loads(json.dumps(text)) == text)  # no two surrogates that make a pair
    person = Person()
    assume("shown" in person.ask({"question": question, "kind": "text"})[0])
    (*_, ended) = person.act("answer", text=typed)
    assert ended["result"]["outcomes"][0]["value"] == typed
    for payload in (
        person.entries(person.session)[1]["data"],
        person.entries(person.store)[0]["entry"]["payload"],
    ):
        assert (payload["question"], payload["answer"]) == (question, typed)


@pytest.mark.parametrize("length", [3001, 100_000])
def test_a_long_answer_is_not_cut(length: int) -> None:
    person, typed = Person(), "line\n" * (length // 5)
    person.ask(batch(DEPLOY))
    person.act("answer", text=typed)
    payload = person.entries(person.store)[0]["entry"]["payload"]
    assert payload["answer"] == {"selectedOptions": [], "customInput": typed}


@given(st.text(st.characters()))
def test_what_is_shown_is_printable_and_still_json(text: str) -> None:
    assume(json.loads(json.dumps(text)) == text)
    assert shown(text).isprintable()
    assert json.loads(shown(text)) == text


# Files


def written(journals: dict[str, Any]) -> list[str]:
    """Let a decision be written to journals, and return the diagnostics."""
    ended: list[Any] = []
    writer = Writer(Clock(0), journals)
    collector = writer.ask({**TEXT, "sensitivity": "public"}, lambda _: None, ended.append)
    assert collector is not None
    collector.act("answer", None, CANARY)
    (result,) = ended
    assert isinstance(result, ToolResult)
    assert CANARY in result.text
    diagnostics: list[str] = result.result["diagnostics"]
    assert CANARY not in "".join(diagnostics)
    return diagnostics


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk is always full here")
@pytest.mark.parametrize("full", ["session", "store"])
def test_the_other_journal_is_written_when_a_disk_is_full(full: str, tmp_path: Path) -> None:
    paths = {name: tmp_path / name for name in ("session", "store")} | {full: Path("/dev/full")}
    journals = {
        "session": SessionJournal(LineFile(paths["session"]), Clock(0), "s1", "/w"),
        "store": Store(LineFile(paths["store"]), Clock(0), "s1"),
    }
    (diagnostic,) = written(journals)
    assert full in diagnostic
    (other,) = paths.keys() - {full}
    assert CANARY.encode() in paths[other].read_bytes()


def test_no_file_can_be_made_where_there_is_no_folder(tmp_path: Path) -> None:
    away = Store(LineFile(tmp_path / "none" / "store"), Clock(0), "s1")
    assert len(written({"store": away})) == 1
    away.file.path.parent.mkdir()
    assert written({"store": away}) == []


def line(sequence: Any) -> bytes:
    return json.dumps({"kind": "entry", "entry": {"sequence": sequence}}).encode() + b"\n"


BAD = b'{"kind"', b"\xff\xfe", b"[" * 100_000, b"\0" * 50, b"9" * 5000, b"3", b"null", b'["entry"]'
HELD = [
    (b"", 1),
    (line(7), 8),
    (line(-4), 1),
    (line(7) + line(3), 8),
    (line(7)[:-1], 8),
    (line(7) + line(9)[:-5], 8),
    (b"\n\r\n" + line(7).replace(b"\n", b"\r\n"), 8),
    *((line(7) + bad, 8) for bad in BAD),
    *((line(7) + bad + b"\n" + line(8), 9) for bad in BAD),
    *((line(wrong) + line(2), 3) for wrong in ("9", 9.0, True, None, [9], -4, 2**53)),
    (line(7).replace(b"7", b"9" * 4400) + line(2), 3),
]


@pytest.mark.parametrize(("held", "sequence"), HELD, ids=lambda one: str(one)[:20])
def test_a_store_goes_on_after_what_it_holds(held: bytes, sequence: int, tmp_path: Path) -> None:
    path = tmp_path / "store"
    path.write_bytes(held)
    for number in (sequence, sequence + 1):
        assert written({"store": Store(LineFile(path), Clock(0), "s1")}) == []
        entry, session = path.read_bytes().split(b"\n")[-3:-1]
        assert json.loads(entry)["entry"]["sequence"] == number
        assert json.loads(session)["session"] == {
            "id": "s1",
            "createdAt": "1970-01-01T00:00:00.000Z",
        }
    torn = b"\n" if held and not held.endswith(b"\n") else b""
    assert path.read_bytes().startswith(held + torn + b'{"kind":"entry"')


def test_a_new_store_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "store"
    assert written({"store": Store(LineFile(path), Clock(0), "s1")}) == []
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_writer_goes_on_after_a_record_of_its_own_that_was_torn() -> None:
    person = Person()
    for how in ("full", "free"):
        person.perform("block", journal="store", how=how)
        person.perform("block", journal="session", how=how)
        person.ask(SELECT)
        seen = person.act("answer", options=[0])
    texts = {one["appended"]: one["text"] for one in seen if "appended" in one}
    assert all(text.startswith("\n{") and text.endswith("}\n") for text in texts.values())
    assert json.loads(texts["store"])["entry"]["sequence"] == 1
    assert json.loads(texts["session"])["parentId"] is None
    torn, whole, _session, end = person.store.read_bytes().split(b"\n")
    assert texts["store"].encode().strip() == whole != torn
    assert whole.startswith(torn[:20])
    assert end == b""


def test_each_line_is_one_write_and_a_short_one_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[bytes] = []
    shorter, write = 0, os.write

    def observed(descriptor: int, data: bytes) -> int:
        writes.append(data)
        return write(descriptor, data[: len(data) - shorter])

    monkeypatch.setattr(os, "write", observed)
    store = Store(LineFile(tmp_path / "store"), Clock(0), "s1")
    assert written({"store": store}) == []
    assert [(data[:8], data.count(b"\n")) for data in writes] == [(b'{"kind":', 1)] * 2
    shorter = 9
    assert len(written({"store": store})) == 1
    shorter = 0
    assert written({"store": store}) == []
    assert writes[-1].startswith(b"\n{")


def test_the_scratch_folder_goes_with_its_adapter() -> None:
    person = Person()
    person.ask({**SELECT, "timeoutMs": 1000})
    folder = person.session.parent
    assert folder.is_dir()
    del person
    assert not folder.exists()


def test_entries_of_a_session_each_name_the_one_before() -> None:
    person = Person()
    person.ask(batch(DEPLOY, REGIONS))
    person.act("answer", options=[0])
    person.act("answer", options=[0])
    header, *entries = person.entries(person.session)
    assert schemas.explain("journal/session-header", header) == []
    assert [one["parentId"] for one in entries] == [None, entries[0]["id"]]
    assert len({one["id"] for one in entries}) == 2


# Sudden death

CHILD = """
import sys
from itertools import count
from pathlib import Path

from askproof_reference.clock import Clock
from askproof_reference.journals import LineFile, SessionJournal, Store
from askproof_reference.writer import Writer

folder, run = Path(sys.argv[1]), sys.argv[2]
clock = Clock(0)
session = SessionJournal(LineFile(folder / f"session-{run}"), clock, run, "/w")
session.begin()
store = Store(LineFile(folder / "store"), clock, run)
writer = Writer(clock, {"session": session, "store": store})
for number in count():
    ended, asked = [], {"question": f"{run}/{number}", "kind": "text"}
    collector = writer.ask(asked, lambda _: None, ended.append)
    collector.act("answer", None, "x" * (number * 977 % 20_000))
    assert ended[0].result["diagnostics"] == []
    print(asked["question"], flush=True)
"""
RUNS = 40


def killed(folder: Path, run: int, after: int) -> list[str]:
    """The records that a writer reported as written, which was killed after so many of them."""
    command = [sys.executable, "-c", CHILD, str(folder), str(run)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        reported = [writer.stdout.readline().strip() for _ in range(after)]
        writer.kill()
        return reported + writer.stdout.read().split()


def whole(path: Path) -> list[Record]:
    """The lines of a file that are JSON."""
    found = []
    for one in path.read_bytes().split(b"\n"):
        try:
            found.append(json.loads(one))
        except ValueError:
            continue
    return found


def test_no_record_is_lost_when_a_writer_is_killed(tmp_path: Path) -> None:
    random, store = Random(52), tmp_path / "store"
    reported: Counter[str] = Counter()
    for run in range(RUNS):
        before = store.read_bytes() if store.exists() else b""
        now = killed(tmp_path, run, random.randrange(1, 12))
        reported.update(now)
        assert store.read_bytes().startswith(before)
        session = {one["data"]["question"] for one in whole(tmp_path / f"session-{run}")[1:]}
        assert session >= {*now}
        if random.random() < 0.5:
            # What a crash of the whole machine leaves: a kill seldom tears a line by itself.
            with store.open("ab") as file:
                file.write('{"kind":"entry","entry":{"payload":{"answer":"é'.encode()[:-1])
    assert {*reported.values()} == {1}
    assert len(reported) >= RUNS
    entries = [one["entry"] for one in whole(store) if one["kind"] == "entry"]
    found = Counter(one["payload"]["question"] for one in entries)
    assert found.keys() >= reported.keys()
    assert {*found.values()} == {1}
    assert [one["sequence"] for one in entries] == [*range(1, len(entries) + 1)]
    assert len(entries) - len(reported) <= RUNS
