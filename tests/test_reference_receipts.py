"""The reference issuer and consumer: whatever happens in whatever order, and what is frozen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askproof_reference import adapter
from askproof_reference.consumer_adapter import ConsumerAdapter
from askproof_reference.deferred import Signal
from askproof_reference.issuer import Issuer, ToolCall
from askproof_reference.issuer_adapter import IssuerAdapter, ObservedPlatform
from askproof_reference.managers import SessionManager
from askproof_reference.models import validate
from askproof_reference.receipts import Row

Record = dict[str, Any]

CANARY = "opaque-3f9c"
# Custom texts, and whether the specification calls them blank.
TEXTS = {"": True, " \t\r\n": True, "\ufeff\u3000": True, "\u0085": False, " as it\r\nis ": False}

# What is asked


def offered(*labels: str) -> list[Record]:
    """Options with everything that an option may have, and one with nothing but its label."""
    extras = {"value": CANARY, "description": "why", "preview": "how"}
    return [*({"label": label, **extras} for label in labels[1:]), {"label": labels[0]}]


def asked(question: str, *labels: str, multi: bool = False) -> Record:
    options = offered(*labels)
    return {"question": question, "header": "H", "multiSelect": multi, "options": options}


def choice(*labels: str, custom: bool) -> Record:
    return {"question": "Deploy?", "options": offered(*labels), "allowCustomResponse": custom}


INPUTS = (
    choice("Yes", "No", custom=False),
    choice("Yes", " Yes", "yes", custom=True),
    {"questions": [asked("Where?", "Yes", "No", "Ye\u0301s", multi=True)]},
    {"questions": [asked("Where?", "Yes", "No"), asked("When?", "No", "Yes", multi=True)]},
)


def is_multi(question: Record) -> bool:
    return bool(question.get("multiSelect", False))


def valid_rows(question: Record) -> st.SearchStrategy[Record]:
    labels = [option["label"] for option in question["options"]]
    several = st.lists(st.sampled_from(labels), min_size=1, unique=True)
    chosen = several if is_multi(question) else st.sampled_from(labels).map(lambda one: [one])
    return st.fixed_dictionaries({"labels": chosen})


# Rows with something wrong, or right in another way.
OTHERWISE: tuple[Any, ...] = (
    *(None, {"labels": []}, {"labels": ["YES"]}, {"labels": ["No", "Yes"]}),
    *({"labels": ["Yes", *more]} for more in (["Not offered"], ["Yes"], ["No", "Yes"])),
    *({"labels": labels, "text": text} for labels in ([], ["Yes"]) for text in TEXTS),
)


# The decision table of the specification, in other words than those of the reference


def is_valid(question: Record, row: Record) -> bool:
    labels = [option["label"] for option in question["options"]]
    chosen, text = row["labels"], row.get("text")
    if any(label not in labels or chosen.count(label) > 1 for label in chosen):
        return False
    if text is not None and (TEXTS[text] or question.get("allowCustomResponse") is False):
        return False
    if is_multi(question):
        return len(chosen) > 0 or text is not None
    return [len(chosen), text is None] in ([1, True], [0, False])


def expected_answer(question: Record, row: Record) -> Record:
    labels = [option["label"] for option in question["options"]]
    ordered = [label for label in labels if label in row["labels"]]
    if "text" in row:
        beside = {"selected": ordered} if ordered else {}
        return {"kind": "custom", "text": row["text"], **beside}
    if is_multi(question):
        return {"kind": "multi", "selected": ordered}
    return {"kind": "option", "text": ordered[0], "selected": ordered}


def expected_prompt(question: Record, mode: str) -> Record:
    hidden = {"value"} if is_questionnaire(question) and mode == "tui" else {"value", "preview"}
    shown = [
        {name: text for name, text in option.items() if name not in hidden}
        for option in question["options"]
    ]
    return {**question, "options": shown}


def is_questionnaire(question: Record) -> bool:
    return "header" in question


NOW = ("m1", "m1", "m1", "m2")
DISTURBANCES = (
    *("append", "move", "hide", "enter", "enter", "shut_down"),
    *("subscribe", "unsubscribe", "change", "ask", "answer", "cancel", "abort"),
)
STEPS = ("converse",) * 3 + ("disturb",)


class Interleaving:
    """Drives an issuer through its adapter, and predicts what is observed, by the table.

    It keeps a plain picture of everything: of managers, subscriptions and calls.
    """

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.delivered = 0
        self.adapter = IssuerAdapter()
        self.adapter.begin({"role": "receipt-issuer", "case": "x"})
        self.managers: dict[str, Record] = {}
        self.subscribers: dict[str, Record] = {}
        self.calls: dict[str, Record] = {}
        self.entries = 0
        self.perform("manager", manager="m1", session="s1", cwd="/w", branch=["L1"])
        self.perform("manager", manager="m2", like="m1")
        for name in ("m1", "m2"):
            place = {"session": "s1", "cwd": "/w"}
            self.managers[name] = {**place, "leaf": "L1", "entries": ["L1"], "told": True}

    def perform(self, command: str, **arguments: Any) -> list[Record]:
        seen: list[Record] = self.adapter.perform({command: arguments})["observations"]
        assert CANARY not in json.dumps(seen)
        return seen

    def pick(self, *these: Any) -> Any:
        return self.data.draw(st.sampled_from(these))

    def seldom(self) -> bool:
        return bool(self.pick(*range(7)) == 6)

    def converse(self) -> None:
        """Somebody subscribes, something is asked, this and that happens, somebody answers."""
        self.subscribe()
        self.ask()
        for _ in range(self.pick(0, 0, 1, 1, 2)):
            self.disturb()
        self.answer()

    def disturb(self) -> None:
        getattr(self, self.pick(*DISTURBANCES))()

    # Managers

    def append(self) -> None:
        self.entries += 1
        name, entry = self.pick(*NOW), f"E{self.entries}"
        assert self.perform("append", manager=name, entry=entry) == []
        self.managers[name]["leaf"] = entry
        self.managers[name]["entries"].append(entry)

    def move(self) -> None:
        name = self.pick(*NOW)
        entry = self.pick(None, *self.managers[name]["entries"])
        assert self.perform("move", manager=name, entry=entry) == []
        self.managers[name]["leaf"] = entry

    def hide(self) -> None:
        name, leaf = self.pick(*NOW), self.pick("shown", "missing", "throws", "undefined")
        assert self.perform("hide", manager=name, leaf=leaf) == []
        self.managers[name]["told"] = leaf == "shown"

    def enter(self) -> None:
        name, session, cwd = self.pick(*NOW), self.pick("s1", "s2"), self.pick("/w", "/x")
        assert self.perform("enter", manager=name, session=session, cwd=cwd) == []
        if session != self.managers[name]["session"]:
            self.end_session(name)
        self.managers[name].update(session=session, cwd=cwd)

    def shut_down(self) -> None:
        name = self.pick(*NOW)
        assert self.perform("shutdown", manager=name) == []
        self.end_session(name)

    def end_session(self, name: str) -> None:
        for subscriber in self.subscribers.values():
            subscriber["ended"] |= subscriber["manager"] == name

    # Subscriptions

    def subscribe(self) -> None:
        name, subscriber = self.pick(*NOW), f"w{len(self.subscribers)}"
        then: Any = self.pick("record", "record", "throw", "reject", "hang", "set", "unsubscribe")
        ends: list[str] = []
        if then == "set":
            path = self.pick("/question", "/answer/text", "/answer/selected/0", "/new")
            then = {"set": {"path": path, "value": "changed"}}
        elif then == "unsubscribe":
            ends = [self.pick(*self.subscribers, subscriber)]
            then = {"unsubscribe": ends}
        assert self.perform("subscribe", subscriber=subscriber, manager=name, then=then) == []
        manager = self.managers[name]
        self.subscribers[subscriber] = {
            "manager": name,
            "place": (manager["session"], manager["cwd"]),
            "ends": ends,
            "ended": False,
        }

    def unsubscribe(self) -> None:
        if self.subscribers:
            name = self.pick(*self.subscribers)
            assert self.perform("unsubscribe", subscriber=name) == []
            self.subscribers[name]["ended"] = True

    # Calls

    def ask(self) -> None:
        name, call = self.pick(*NOW), f"c{len(self.calls)}"
        given_input = self.pick(*INPUTS)
        tool = "ask_user_question" if "questions" in given_input else "ask_user_choice"
        mode = self.pick("tui", "tui", "tui", "rpc", "rpc", "json", "print")
        person, background, aborted = not self.seldom(), self.seldom(), self.seldom()
        if aborted:
            assert self.perform("abort", call=call) == []
        seen = self.perform(
            "ask",
            call=call,
            toolCallId=f"tool-{call}",
            tool=tool,
            manager=name,
            mode=mode,
            input=given_input,
            interactive=person,
            background=background,
        )
        over = {"tool": call, "result": {"cancelled": True, "answers": []}}
        assert seen == ([over] if aborted else [{"shown": call}])
        manager = self.managers[name]
        self.calls[call] = {
            "tool": tool,
            "manager": name,
            "mode": mode,
            "questions": deepcopy(given_input.get("questions", [given_input])),
            "place": (manager["session"], manager["cwd"]),
            "leaf": (manager["told"], manager["leaf"]),
            "subscribers": list(self.subscribers),
            "human": (mode == "tui" or (mode == "rpc" and person)) and not background,
            "aborted": aborted,
            "ended": aborted,
            "returned": False,
        }

    def some_call(self) -> str:
        """The latest call, or another one, which may have ended."""
        call: str = self.pick(*[*self.calls][-1:] * 3, *self.calls)
        return call

    def change(self) -> None:
        if self.calls:
            call, member = self.some_call(), self.pick("question", "options/0/label")
            base = "" if self.calls[call]["tool"] == "ask_user_choice" else "/questions/0"
            assert self.perform("change", call=call, path=f"{base}/{member}", value="other") == []

    def answer(self) -> None:
        if not self.calls:
            return
        name = self.some_call()
        rows: list[Any] = [self.data.draw(valid_rows(one)) for one in self.calls[name]["questions"]]
        if self.seldom():
            rows = self.pick(rows[:-1], [*rows, rows[0]], [])
        elif self.pick(0, 1):
            at = self.pick(*range(len(rows)))
            rows[at] = self.pick(*OTHERWISE)
        seen = self.perform("answer", call=name, rows=rows)
        written = [row and {"labels": row["labels"], "text": row.get("text")} for row in rows]
        self.check_return(name, seen, rows, {"cancelled": False, "answers": written})

    def cancel(self) -> None:
        if self.calls:
            name = self.some_call()
            seen = self.perform("cancel", call=name)
            self.check_return(name, seen, [], {"cancelled": True, "answers": []})

    def abort(self) -> None:
        if self.calls:
            name = self.some_call()
            over = {"tool": name, "result": {"cancelled": True, "answers": []}}
            seen = self.perform("abort", call=name)
            assert seen == ([] if self.calls[name]["ended"] else [over])
            self.calls[name].update(aborted=True, ended=True)

    def check_return(self, name: str, seen: list[Record], rows: list[Any], result: Any) -> None:
        """Compare what followed from a return of the UI with what the table demands."""
        call = self.calls[name]
        deliveries = list(self.deliveries(call, rows))
        got = [(one["delivered"], one["receipt"]) for one in seen if "delivered" in one]
        assert len(got) == len(deliveries)
        for (subscriber, receipt), (wanted, position) in zip(got, deliveries, strict=True):
            assert subscriber == wanted
            self.check_receipt(name, position, rows[position], receipt)
        others = [one for one in seen if "delivered" not in one]
        assert others == ([] if call["ended"] else [{"tool": name, "result": result}])
        call.update(returned=True, ended=True)
        self.delivered += len(got)

    def deliveries(self, call: Record, rows: list[Any]) -> Iterator[tuple[str, int]]:
        """To whom which question is delivered."""
        manager, questions = self.managers[call["manager"]], call["questions"]
        reasons_against = (
            call["returned"],
            len(rows) != len(questions) or None in rows,
            call["aborted"],
            (manager["session"], manager["cwd"]) != call["place"],
            not (manager["told"] and call["leaf"][0]),
            manager["leaf"] != call["leaf"][1],
            not call["human"],
        )
        if any(reasons_against) or not all(map(is_valid, questions, rows)):
            return
        for name in call["subscribers"]:
            subscriber = self.subscribers[name]
            if (subscriber["manager"], subscriber["place"]) != (call["manager"], call["place"]):
                continue
            for position in range(len(rows)):
                if not subscriber["ended"]:
                    yield name, position
                    for other in subscriber["ends"]:
                        self.subscribers[other]["ended"] = True

    def check_receipt(self, name: str, position: int, row: Record, receipt: Record) -> None:
        """Compare a receipt with what was captured and answered."""
        call = self.calls[name]
        question = call["questions"][position]
        validate("receipts/receipt", receipt)
        kind = "questionnaire" if is_questionnaire(question) else "choice"
        prompt = json.loads(receipt.pop("prompt"))
        validate(f"receipts/{kind}-prompt", prompt)
        assert prompt == expected_prompt(question, call["mode"])
        assert receipt == {
            "sessionManager": {"handle": call["manager"]},
            "sessionId": call["place"][0],
            "cwd": call["place"][1],
            "branchAnchor": call["leaf"][1],
            "toolName": call["tool"],
            "toolCallId": f"tool-{name}",
            "questionIndex": position,
            "question": question["question"],
            "answer": expected_answer(question, row),
        }


def test_whatever_happens_the_table_decides_what_is_delivered() -> None:
    delivered: list[int] = []

    @settings(max_examples=300)
    @given(st.data(), st.lists(st.sampled_from(STEPS), min_size=4, max_size=10))
    def run(data: st.DataObject, steps: list[str]) -> None:
        interleaving = Interleaving(data)
        for step in steps:
            getattr(interleaving, step)()
        delivered.append(interleaving.delivered)

    run()
    assert sum(delivered) > len(delivered), "where hardly anything is delivered nothing is shown"


# What is frozen


def containers(value: Any) -> Iterator[Any]:
    """A value and all that it holds, down to what holds nothing."""
    if isinstance(value, Mapping | tuple):
        yield value
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from containers(item)


def attempts(target: Any) -> Iterator[Any]:
    """Ways to change something."""
    for key in [*target] if isinstance(target, Mapping) else [*range(len(target)), slice(None)]:
        yield lambda key=key: target.__setitem__(key, "x")
        yield lambda key=key: target.__delitem__(key)
    for name in ("question", "answer", "new", "__class__", "__dict__"):
        yield lambda name=name: setattr(target, name, "x")
        yield lambda name=name: delattr(target, name)
        yield lambda name=name: object.__setattr__(target, name, "x")
        yield lambda name=name: dict.__setitem__(target, name, "x")
    for method in ("append", "clear", "insert", "pop", "popitem", "sort", "setdefault", "update"):
        for arguments in ((), ("x",), (0,), (0, "x"), ({"x": 1},)):
            yield lambda method=method, given=arguments: getattr(target, method)(*given)


@pytest.mark.parametrize("row", [Row(("Yes",)), Row((), "own words")])
def test_nothing_in_a_receipt_can_be_changed(row: Row) -> None:
    manager, receipts = SessionManager("s1", "/w", ["L1"]), list[Any]()
    issuer = Issuer(ObservedPlatform(lambda **_: None))
    issuer.subscribe(manager, receipts.append)
    asked = {"question": "?", "options": [{"label": "Yes"}], "allowCustomResponse": True}
    signal = Signal()
    issuer.platform.names[signal] = "c"  # type: ignore[attr-defined]
    call = ToolCall(
        tool="ask_user_choice",
        id="c",
        manager=manager,
        input=asked,
        mode="tui",
        interactive=True,
        background=False,
        signal=signal,
    )
    issuer.answer(issuer.ask(call), [row])
    (receipt,) = receipts
    before = repr(receipt)
    for target in containers(receipt):
        for attempt in attempts(target):
            with pytest.raises((TypeError, AttributeError)):
                attempt()
    assert repr(receipt) == before
    assert receipt["sessionManager"] is manager


# Session managers


def test_a_branch_is_what_leads_to_its_leaf() -> None:
    manager = SessionManager("s1", "/w", ["a", "b", "c"])
    manager.move("a")
    manager.append("d")
    assert (manager.get_branch(), manager.get_leaf_id()) == (["a", "d"], "d")
    manager.move("c")
    assert manager.get_branch() == ["a", "b", "c"]
    manager.move(None)
    assert (manager.get_branch(), manager.get_leaf_id()) == ([], None)
    with pytest.raises(ValueError, match="no entry"):
        manager.move("e")
    manager.append("a")
    with pytest.raises(ValueError, match="already"):
        manager.append("a")


# The consumer


def receipt_of(number: int, prompt: str, answer: Record) -> Record:
    return {
        "sessionManager": {"handle": "m1"},
        "sessionId": "s1",
        "cwd": "/w",
        "branchAnchor": None,
        "toolName": "ask_user_choice",
        "toolCallId": f"c{number}",
        "questionIndex": 0,
        "question": "?",
        "prompt": prompt,
        "answer": answer,
    }


texts = st.text(max_size=12)


@given(st.lists(st.tuples(texts, texts), max_size=8), st.integers(0, 160))
def test_evidence_is_kept_whole_within_its_budget(pairs: list[tuple[str, str]], most: int) -> None:
    consumer = ConsumerAdapter()
    consumer.begin({"role": "receipt-consumer", "case": "x"})
    place = {"session": "s1", "cwd": "/w", "branch": []}
    consumer.perform({"manager": {"manager": "m1", **place}})
    consumer.perform({"watch": {"manager": "m1", "budget": most}})
    kept: list[tuple[int, Record]] = []
    for number, (prompt, text) in enumerate(pairs):
        receipt = receipt_of(number, prompt, {"kind": "custom", "text": text})
        consumer.perform({"deliver": {"receipt": receipt, "via": "subscription"}})
        answer = f'{{"kind":"custom","text":{json.dumps(text, ensure_ascii=False)}}}'
        size = len(f"{prompt}{answer}".encode())
        if size <= most:
            kept.append((size, receipt))
        while sum(size for size, _ in kept) > most:
            del kept[0]
    ((seen),) = consumer.perform({"evidence": {}})["observations"]
    pair = ("toolCallId", "questionIndex", "prompt", "answer")
    assert seen["evidence"] == [{name: one[name] for name in pair} for _, one in kept]


# The adapters


@pytest.mark.parametrize("role", [*adapter.ROLES])
def test_every_role_can_be_begun_and_refuses_what_it_does_not_know(role: str) -> None:
    begun = adapter.Adapter()
    begun.begin({"role": role, "case": "x"})
    with pytest.raises(NotImplementedError):
        begun.perform({"dance": {}})
