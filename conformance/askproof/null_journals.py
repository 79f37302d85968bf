"""What the null adapters do in the two roles of the decision journal.

They know the messages, and nothing of what a decision, an answer or a line must be.
"""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

from askproof import wire

JOURNAL_ROLES = ("journal-writer", "journal-reader")
Observations = list[dict[str, Any]]


class JournalAccepter:
    """Writes down an answer to whatever is asked, and finds a human's answer in every line."""

    calls: list[dict[str, Any]]

    def journal_ask(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Show the first question, whatever was asked."""
        return [{"shown": arguments["call"], "question": 0}]

    def journal_act(self, name: str, arguments: dict[str, Any]) -> Observations:
        """End the call: every question was answered, and both journals hold the answers."""
        call = next(one for one in self.calls if one["call"] == arguments["call"])
        questions = _questions(call["input"])
        decisions = [_decision(question, arguments) for question in questions]
        outcomes = [_outcome(one) for one in decisions]
        result = {"outcomes": outcomes, "cancelled": False, "diagnostics": []}
        ended = {"tool": call["call"], "result": result, "text": json.dumps(outcomes)}
        return [*(line for one in decisions for line in _appended(one)), ended]

    def journal_interrupt(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Take what has happened for an answer."""
        return self.journal_act(name, arguments)

    def journal_read(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Report every line as a human's answer."""
        return [
            {
                "record": number,
                "payload": _object(line),
                "outcome": "answered",
                "by": "human",
                "human": True,
                "consistent": True,
            }
            for number, line in _lines(arguments)
        ]


class JournalRefuser(JournalAccepter):
    """Calls every input invalid, and every line bad."""

    def journal_ask(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Refuse to ask."""
        error = {"status": "invalid", "message": "no"}
        return [{"tool": arguments["call"], "error": error}]

    def journal_act(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Take no answer."""
        return []

    def journal_read(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Refuse every file, or else each of its lines."""
        if arguments["strict"]:
            return [{"refused": 1}]
        return [{"diagnostic": number, "code": "json"} for number, _ in _lines(arguments)]


class JournalDoubter(JournalRefuser):
    """Shows every question and cancels it, and believes no line."""

    journal_ask = JournalAccepter.journal_ask

    def journal_act(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Cancel whatever the human does."""
        result: dict[str, Any] = {"outcomes": [], "cancelled": True, "diagnostics": []}
        return [{"tool": arguments["call"], "result": result, "text": "cancelled"}]

    def journal_read(self, name: str, arguments: dict[str, Any]) -> Observations:
        """Report every line, as nobody's."""
        nobody = {"outcome": "cancelled", "by": "unknown", "human": False, "consistent": False}
        return [
            {"record": number, "payload": _object(line), **nobody}
            for number, line in _lines(arguments)
        ]


class JournalEcho:
    """Writes down what it is told, and reads out what it is given."""

    def journal_ask(self, name: str, arguments: dict[str, Any]) -> Observations:
        """The input as its own result."""
        return [{"tool": arguments["call"], "result": arguments["input"]}]

    def journal_act(self, name: str, arguments: dict[str, Any]) -> Observations:
        """The act as a line of the store."""
        return [{"appended": "store", "text": f"{json.dumps(arguments)}\n"}]

    def journal_read(self, name: str, arguments: dict[str, Any]) -> Observations:
        """The command as the record."""
        said = {"outcome": arguments["form"], "by": arguments["form"]}
        return [{"record": 1, "payload": arguments, **said, "human": True, "consistent": True}]


def _lines(arguments: dict[str, Any]) -> list[tuple[int, str]]:
    """The lines of a file that hold anything, with their numbers."""
    text = b64decode(arguments["base64"]).decode("utf-8", "replace")
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _object(line: str) -> dict[str, Any]:
    """A line as an object; an empty one if it is none, or too deep to be sent."""
    try:
        value = wire.decode(line.encode()) if line.count("[") + line.count("{") < 60 else {}
    except wire.WireError:
        value = {}
    return value if isinstance(value, dict) else {}


def _questions(given: Any) -> list[dict[str, Any]]:
    """What looks like a question in an input."""
    asked = given.get("questions", [given]) if isinstance(given, dict) else []
    return [one for one in asked if isinstance(one, dict)] if isinstance(asked, list) else []


def _decision(question: dict[str, Any], act: dict[str, Any]) -> dict[str, Any]:
    """A plausible decision: what was chosen last, as the answer to any question."""
    options = question.get("options")
    labels = [one.get("label") for one in options or [] if isinstance(one, dict)]
    chosen = [labels[at] for at in act.get("options", [0]) if at < len(labels)]
    answer: Any = {"selectedOptions": chosen} if labels else act.get("text", "")
    return {
        "decisionId": question.get("id", "question"),
        "status": "answered",
        "question": question.get("question", ""),
        "answer": answer,
        "metadata": {"source": "ask", "timedOut": False, "answerSource": "human"},
    }


def _outcome(decision: dict[str, Any]) -> dict[str, Any]:
    return {
        "questionId": decision["decisionId"],
        "status": "answered",
        "timedOut": False,
        "answerSource": "human",
        "value": decision["answer"],
    }


def _appended(decision: dict[str, Any]) -> Observations:
    """The decision in both journals."""
    custom = {"type": "custom", "customType": "decision", "data": decision}
    entry = {"kind": "entry", "entry": {"type": "decision", "payload": decision}}
    return [
        {"appended": "session", "text": f"{json.dumps(custom)}\n"},
        {"appended": "store", "text": f"{json.dumps(entry)}\n"},
    ]
