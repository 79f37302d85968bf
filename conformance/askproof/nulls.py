"""Null adapters: implementations of nothing, which a suite with power must not let pass.

Each plays every role, declares everything, and knows nothing of the specification but its messages.
"""

from __future__ import annotations

import json
import random
from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

from askproof import case as cases
from askproof import engine
from askproof.carriers import InProcess
from askproof.errors import InternalError
from askproof.null_journals import (
    JOURNAL_ROLES,
    JournalAccepter,
    JournalDoubter,
    JournalEcho,
    JournalRefuser,
    Observations,
)
from askproof.schemas import data_folder, load
from askproof.session import Session
from askproof.specification import RECEIPT_ROLES, ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from askproof.case import Case

_NAMESPACE = "@askproof/null"
_NOW = 1_700_000_000_000


class Silent:
    """Answers every command, and has nothing to report."""

    def __init__(self, variants: dict[str, str]) -> None:
        """Take the variants that it declares."""
        self._variants = variants

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        """Declare everything."""
        role = {"capabilities": load("adapter/capability")["enum"], "variants": self._variants}
        return {
            "protocol": 1,
            "implementation": {"name": type(self).__name__, "version": "0", "language": "none"},
            "namespace": _NAMESPACE,
            "secondNamespace": f"{_NAMESPACE}-second",
            "roles": dict.fromkeys(ROLES, role),
        }

    def begin(self, params: dict[str, Any]) -> dict[str, Any]:
        """Remember what is about to be asked."""
        self.case: str = params["case"]
        self.role: str = params["role"]
        self.calls: list[dict[str, Any]] = []
        self.subscribers: list[str] = []
        self.kept: list[dict[str, Any]] = []
        return {}

    def perform(self, params: dict[str, Any]) -> dict[str, Any]:
        """Report what this kind of nothing reports."""
        ((name, arguments),) = params.items()
        if name == "ask":
            self.calls.append(arguments)
        contract = "journal" if self.role in JOURNAL_ROLES else "on"
        answer = getattr(self, f"{contract}_{name}", self.on_any)
        return {"observations": answer(name, arguments)}

    def on_any(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Whatever there is no answer of its own for."""
        return []


class Echo(JournalEcho, Silent):
    """Reports every command as if it had been seen."""

    _SEEN: ClassVar[dict[str, tuple[str, str]]] = {
        "listen": ("heard", "channel"),
        "offer": ("connected", "returned"),
        "resolve": ("opened", "request"),
        "reject": ("opened", "request"),
        "local": ("tool", "result"),
        "connect": ("offered", "provider"),
        "open": ("resolved", "value"),
    }

    def on_any(self, name: str, arguments: dict[str, Any]) -> Observations:
        """The first argument names who it was, and the rest is what was seen."""
        if self.role in JOURNAL_ROLES:
            return []
        if self.role in RECEIPT_ROLES:
            kind = "delivered" if self.role == "receipt-issuer" else "unsubscribed"
            return [{kind: str(next(iter(arguments.values()), "")), "receipt": arguments}]
        if name not in self._SEEN:
            return []
        kind, rest = self._SEEN[name]
        return [{kind: next(iter(arguments.values())), rest: arguments.get(rest, arguments)}]

    def on_abort(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Whatever was aborted has aborted."""
        kind = "aborted" if self.role == "ask-host" else "rejected"
        return [{kind: next(iter(arguments.values()))}]

    def on_act(self, name: str, arguments: dict[str, Any]) -> Observations:
        """What the human did is what is submitted."""
        return [{"emitted": f"{_NAMESPACE}:submit", "data": arguments}]

    on_press = on_act

    def on_emit(self, name: str, arguments: dict[str, Any]) -> Observations:
        """The same event again."""
        return [{"emitted": arguments["channel"], "data": arguments["data"]}]

    def on_ask(self, name: str, arguments: dict[str, Any]) -> Observations:
        """The input as its own result."""
        return [{"tool": arguments["call"], "result": arguments["input"]}]


class AcceptEverything(JournalAccepter, Silent):
    """Opens every form, takes every submit, and sends something whenever a human acts."""

    def on_ask(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Start without a look at the input, in the form that a host would give it."""
        if "tool" in arguments:
            return [{"shown": arguments["call"]}]
        questions = arguments["input"].get("questions", [])
        started = {
            "version": 1,
            "flowId": f"flow:{arguments['call']}",
            "source": arguments.get("source", "tool"),
            "questions": [
                {"label": f"Q{at}", "type": "single", "required": False, **question}
                for at, question in enumerate(questions, 1)
            ],
            "createdAt": _NOW,
            **{key: arguments[key] for key in ("toolCallId",) if key in arguments},
        }
        return [{"emitted": f"{_NAMESPACE}:started", "data": started}]

    def on_emit(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Say yes to a submit, and show a form for whatever starts."""
        if self.role in RECEIPT_ROLES:
            return []
        data = arguments["data"] if isinstance(arguments.get("data"), dict) else {}
        channel = arguments["channel"].rpartition(":")[2]
        if channel == "started":
            return [{"shown": str(data.get("flowId")), "questions": _form(data)}]
        if channel == "completed":
            return [{"closed": str(data.get("flowId"))}]
        if channel != "submit":
            return []
        ids = {key: data.get(key, "") for key in ("requestId", "flowId")}
        response = data.get("response")
        answers = response.get("answers", {}) if isinstance(response, dict) else {}
        result: dict[str, Any] = {"cancelled": False, "mode": "submit", "questions": []}
        result["answers"] = answers
        completed = {"version": 1, "flowId": ids["flowId"], "source": "tool", "result": result}
        return [
            {"emitted": f"{_NAMESPACE}:submit-result", "data": {"version": 1, **ids, "ok": True}},
            {"emitted": f"{_NAMESPACE}:completed", "data": {**completed, "completedAt": _NOW}},
            *({"tool": call["call"], "result": result} for call in self.calls[-1:]),
        ]

    def on_act(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Submit for the form, without what was chosen."""
        response = {"kind": "answer", "mode": "submit", "answers": {}}
        submit = {"version": 1, "requestId": "r", "flowId": arguments["form"], "response": response}
        return [{"emitted": f"{_NAMESPACE}:submit", "data": submit}]

    def on_offer(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Take every provider."""
        return [{"connected": arguments["provider"], "returned": True}]

    def on_connect(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Offer to every connection."""
        provider = {"version": 1, "id": "null", "open": {"handle": "open"}}
        return [{"offered": arguments["connection"], "provider": provider}]

    def on_subscribe(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Remember whom to deliver to."""
        self.subscribers.append(arguments["subscriber"])
        return []

    def on_answer(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Deliver a receipt for each row to everybody who has ever subscribed."""
        call = next(call for call in self.calls if call["call"] == arguments["call"])
        receipts = [_receipt(call, at, row) for at, row in enumerate(arguments["rows"])]
        delivered = [
            {"delivered": subscriber, "receipt": receipt}
            for receipt in receipts
            for subscriber in self.subscribers
        ]
        return [*delivered, {"tool": call["call"], "result": arguments["rows"]}]

    def on_deliver(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Keep what comes, however it comes."""
        keys = ("toolCallId", "questionIndex", "prompt", "answer")
        if isinstance(arguments["receipt"], dict) and arguments["receipt"].keys() >= {*keys}:
            self.kept.append({key: arguments["receipt"][key] for key in keys})
        return []

    def on_evidence(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Report everything that has ever come."""
        return [{"evidence": self.kept}]

    def on_agreed(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Agree."""
        return [{"agreed": True}]


class RefuseEverything(JournalRefuser, AcceptEverything):
    """Refuses every input, every submit, every provider, every connection and every receipt."""

    refusal = "invalid_answer"

    def on_ask(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Call every input invalid, unless something must have been opened to refuse a submit."""
        if "tool" in arguments:
            return [{"tool": arguments["call"], "error": "no"}]
        issue = {"path": "questions", "message": "no"}
        error = {"kind": "invalid_input", "issues": [issue]}
        result = {"cancelled": True, "mode": "submit", "questions": [], "answers": {}}
        return [{"tool": arguments["call"], "result": {**result, "error": error}}]

    def on_emit(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Refuse with one code, whatever is wrong."""
        data = arguments["data"] if isinstance(arguments.get("data"), dict) else {}
        if not arguments["channel"].endswith(":submit"):
            return []
        ids = {key: data.get(key, "") for key in ("requestId", "flowId")}
        refused = {"version": 1, **ids, "ok": False, "error": self.refusal, "message": "no"}
        return [{"emitted": f"{_NAMESPACE}:submit-result", "data": refused}]

    def on_act(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Tell every human that it did not count."""
        return [{"told": arguments["form"], "outcome": "refused"}]

    def on_offer(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Turn every provider down."""
        return [{"connected": arguments["provider"], "returned": False}]

    def on_connect(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Offer nothing."""
        return []

    def on_answer(self, name: str, arguments: dict[str, Any]) -> Observations:
        """End the call, and deliver nothing."""
        return [{"tool": arguments["call"], "result": arguments["rows"]}]

    def on_evidence(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Hold nothing."""
        return [{"evidence": []}]

    def on_agreed(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Agree to nothing."""
        return [{"agreed": False}]


class OpenAndRefuse(JournalDoubter, RefuseEverything):
    """Opens every form and refuses what follows, so that the refusals are about something."""

    on_ask = AcceptEverything.on_ask


class AnswerKey(AcceptEverything):
    """Knows the ids of the fixed cases, and guesses from their words what is wanted."""

    _REFUSING = ("refus", "invalid", "malformed", "null", "unknown", "not-", "blank", "late")

    def begin(self, params: dict[str, Any]) -> dict[str, Any]:
        """Accept or refuse, as the words of the id suggest."""
        case = params["case"]
        guessed: type[AcceptEverything] = AcceptEverything
        if any(word in case for word in self._REFUSING):
            guessed = RefuseEverything if "/input/" in case else OpenAndRefuse
        self._guessed = guessed(self._variants)
        if isinstance(self._guessed, RefuseEverything) and "after" in case:
            self._guessed.refusal = "flow_not_found"
        return self._guessed.begin(params)

    def perform(self, params: dict[str, Any]) -> dict[str, Any]:
        """Do as was guessed."""
        return self._guessed.perform(params)


class WhateverTheSchemaAllows(Silent):
    """Reports random observations that are valid, drawn from the examples of the schemas."""

    seed: ClassVar[int] = 20
    most: ClassVar[int] = 3

    def begin(self, params: dict[str, Any]) -> dict[str, Any]:
        """Draw anew for every case, the same at every run."""
        self._random = random.Random(f"{self.seed} {params['case']}")  # noqa: S311 - repeatable
        return super().begin(params)

    def on_any(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Up to three observations, with names that the command has used."""
        return [self._observation(arguments) for _ in range(self._random.randint(0, self.most))]

    def _observation(self, arguments: dict[str, Any]) -> dict[str, Any]:
        draw = self._random.choice
        observation = dict(draw(_examples(f"adapter/{self.role}-observation")))
        kind = next(kind for kind in observation if kind not in ("data", "provider", "request"))
        if "emitted" in observation:
            channel = draw(engine.CHANNELS)
            data = draw(_examples(f"events/{channel}"))
            return {"emitted": f"{_NAMESPACE}:{channel}", "data": data}
        names = [value for value in arguments.values() if isinstance(value, str) and value]
        if names and isinstance(observation[kind], str) and kind not in ("appended", "said"):
            observation[kind] = draw(names)
        if "result" in observation:
            contract = "journal" if self.role in JOURNAL_ROLES else "events"
            observation["result"] = draw(_examples(f"{contract}/result"))
        return observation


ADAPTERS: dict[str, type[Silent]] = {
    "accept-everything": AcceptEverything,
    "refuse-everything": RefuseEverything,
    "open-and-refuse": OpenAndRefuse,
    "echo": Echo,
    "silent": Silent,
    "whatever-the-schema-allows": WhateverTheSchemaAllows,
    "answer-key": AnswerKey,
}
LIMIT = 0.05


@cache
def _examples(schema: str) -> list[Any]:
    folder = data_folder("schemas") / "examples" / schema / "valid"
    return [json.loads(path.read_bytes()) for path in sorted(folder.glob("*.json"))]


def _form(started: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"prompt": one.get("prompt"), "options": [o.get("label") for o in one.get("options", [])]}
        for one in started.get("questions", [])
    ]


def _receipt(call: dict[str, Any], index: int, row: dict[str, Any] | None) -> dict[str, Any]:
    """What the messages alone suggest: the session, which they do not repeat, is left out."""
    asked = call["input"].get("questions", [call["input"]])
    question = asked[index] if index < len(asked) else {}
    given = [*(row or {}).get("labels", []), (row or {}).get("text", "")]
    return {
        "sessionManager": {"handle": call["manager"]},
        "sessionId": "",
        "cwd": "",
        "branchAnchor": None,
        "toolName": call["tool"],
        "toolCallId": call["toolCallId"],
        "questionIndex": index,
        "question": question.get("question", ""),
        "prompt": json.dumps(question),
        "answer": {"kind": "option", "text": given[0]},
    }


def passes(name: str, chosen: Iterable[Case] | None = None) -> Iterator[tuple[str, str, bool]]:
    """Run cases, or else all, against a null adapter: their roles, ids, and whether they passed.

    Raises InternalError for one that does not even keep to the protocol: its score shows nothing.
    """
    left = [*map(cases.load, cases.case_ids())] if chosen is None else [*chosen]
    for variants in _all_variants():
        session = Session(InProcess(partial(ADAPTERS[name], variants)))
        session.initialize()
        results = list(engine.run(session, left, "may"))
        session.close()
        left = [result.case for result in results if result.outcome == "not-applicable"]
        for result in results:
            if result.outcome in ("passed", "failed"):
                yield result.case.role, result.case.id, result.outcome == "passed"
            elif result.outcome != "not-applicable":
                problem = f"{result.case.id} {result.outcome}: {result.message}"
                raise InternalError(f"the null adapter {name} is wrong: {problem}")


def _all_variants() -> Iterator[dict[str, str]]:
    """Every combination of variants that an adapter may declare, so that every case applies."""
    known = load("adapter/variants")["properties"]
    for values in product(*(variant["enum"] for variant in known.values())):
        yield dict(zip(known, values, strict=True))
