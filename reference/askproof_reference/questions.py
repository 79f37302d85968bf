"""The input of an ask: what is wrong with it, and the questions as they are shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

from askproof_reference.records import Record, record
from askproof_reference.text import is_blank, trim

TYPES = ("single", "multi", "preview")

Kind = TypeVar("Kind")


class Form(NamedTuple):
    """What is shown: a title, and the normalized questions."""

    title: str | None
    questions: list[Record]


class InputReader:
    """Reads the input of one ask.

    Attributes:
        folder: where preview files lie; without one there are none.
        faults: what is wrong, by path, in the order in which it was found (EVT-030).
    """

    def __init__(self, folder: str | None = None) -> None:
        self.folder = folder
        self.faults: dict[str, str] = {}

    def fault(self, path: str, message: str) -> None:
        """Keep what is wrong at a path; the first thing there counts."""
        self.faults.setdefault(path, message)

    def form(self, given: Any) -> Form:
        """The form that an input asks for, of use only if there are no faults."""
        given = given if isinstance(given, dict) else {}
        return Form(self.optional(given, "title", str, ""), self.questions(given.get("questions")))

    def questions(self, given: Any) -> list[Record]:
        """All questions (EVT-020)."""
        if not isinstance(given, list) or not given:
            self.fault("questions", "must be a list of at least one question")
            return []
        questions = [
            self.question(one, position, f"questions[{position}]")
            for position, one in enumerate(given)
        ]
        self.check_ids(questions)
        return questions

    def question(self, given: Any, position: int, path: str) -> Record:
        """One question, normalized."""
        if not isinstance(given, dict):
            self.fault(path, "must be an object")
            return {}
        kind = self.kind(given, path)
        return {
            "id": self.text(given, "id", path),
            "label": self.label(given, position, path),
            "prompt": self.text(given, "prompt", path),
            "type": kind,
            "required": self.required(given, path),
            "options": self.options(given.get("options"), kind, f"{path}.options"),
        }

    def label(self, given: Record, position: int, path: str) -> str:
        """The label of a question (EVT-029)."""
        label = trim(self.optional(given, "label", str, path) or "")
        return label or f"Q{position + 1}"

    def kind(self, given: Record, path: str) -> str:
        """The requested type of a question (EVT-027, EVT-029)."""
        kind: str = given.get("type", "single")
        if kind not in TYPES:
            self.fault(f"{path}.type", f"must be one of {', '.join(TYPES)}")
        return kind

    def required(self, given: Record, path: str) -> bool:
        """Whether an answer is wished for; that blocks nothing (EVT-029, EVT-032)."""
        return self.optional(given, "required", bool, path) or False

    def options(self, given: Any, kind: str, path: str) -> list[Record]:
        """The options of a question (EVT-026)."""
        if not isinstance(given, list) or not given:
            self.fault(path, "must be a list of at least one option")
            return []
        options = [self.option(one, kind, f"{path}[{at}]") for at, one in enumerate(given)]
        self.check_values(options, path)
        return options

    def option(self, given: Any, kind: str, path: str) -> Record:
        """One option, normalized."""
        if not isinstance(given, dict):
            self.fault(path, "must be an object")
            return {}
        return record(
            value=self.text(given, "value", path),
            label=self.text(given, "label", path),
            description=self.optional_text(given, "description", path),
            preview=self.preview(given, kind, path),
            recommended=self.optional(given, "recommended", bool, path),
            freeform=self.optional(given, "freeform", bool, path),
        )

    def preview(self, given: Record, kind: str, path: str) -> str | None:
        """The preview text of an option (EVT-028)."""
        text = self.optional_text(given, "preview", path)
        if text is None and "previewFile" in given:
            text = self.file_text(given, path)
        elif text is None and kind == "preview":
            self.fault(f"{path}.preview", "must be there for a question of type preview")
        return text

    def file_text(self, given: Record, path: str) -> str | None:
        """The text of a preview file, which lies inside the folder (EVT-150)."""
        name = self.optional(given, "previewFile", str, path)
        if name is None:
            return None
        try:
            text = self.read_file(name)
        except (OSError, ValueError):
            text = ""
        if is_blank(text):
            self.fault(f"{path}.previewFile", "must name a file with text, inside the folder")
        return text

    def read_file(self, name: str) -> str:
        """Read a file of the folder. Raises OSError or ValueError where that is impossible."""
        from pathlib import Path

        if self.folder is None:
            raise ValueError("this ask has no folder")
        folder = Path(self.folder).resolve()
        file = (folder / name).resolve()
        if not file.is_relative_to(folder):
            raise ValueError("the file lies outside the folder")
        return file.read_bytes().decode("utf-8")

    def text(self, given: Record, member: str, path: str) -> str:
        """A text that must be there, trimmed (EVT-021, EVT-022)."""
        text = given.get(member)
        if not isinstance(text, str) or is_blank(text):
            self.fault(f"{path}.{member}", "must be a text that is not blank")
            return ""
        return trim(text)

    def optional_text(self, given: Record, member: str, path: str) -> str | None:
        """A text that may be absent, unchanged; a blank one is."""
        text = self.optional(given, member, str, path)
        return None if text is None or is_blank(text) else text

    def optional(self, given: Record, member: str, kind: type[Kind], path: str) -> Kind | None:
        """A member that may be absent; null is there, and wrong."""
        if member not in given:
            return None
        value = given[member]
        if not isinstance(value, kind):
            self.fault(f"{path}.{member}".lstrip("."), "is of a wrong type")
            return None
        return value

    def check_ids(self, questions: list[Record]) -> None:
        """No two questions have one id (EVT-023)."""
        for at in repeated(question.get("id") for question in questions):
            self.fault(f"questions[{at}].id", "must be unlike the ids before it")

    def check_values(self, options: list[Record], path: str) -> None:
        """No two options of a question have one value; labels are free (EVT-024, EVT-025)."""
        for at in repeated(option.get("value") for option in options):
            self.fault(f"{path}[{at}].value", "must be unlike the values before it")


def repeated(names: Iterable[str | None]) -> list[int]:
    """The positions of the names that were there before; none and blank ones are no names."""
    seen: set[str] = set()
    positions = []
    for position, name in enumerate(names):
        if name and name in seen:
            positions.append(position)
        elif name:
            seen.add(name)
    return positions


def as_multi(form: Form) -> Form:
    """The form with single-select questions presented as multi-select (EVT-046)."""
    return Form(form.title, [present_as_multi(question) for question in form.questions])


def present_as_multi(question: Record) -> Record:
    """One question of such a form."""
    if question["type"] != "single":
        return question
    return {**question, "type": "multi", "requestedType": "single", "presentedType": "multi"}
