"""Cases: finding them, reading them, and putting their fixtures in.

The format is described in `spec/case-format.md` and pinned by the schema `case`.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from askproof import wire
from askproof.errors import InputError, InternalError
from askproof.specification import catalogue

CASES = Path(__file__).parent / "cases"
MAX_CASE_BYTES = 256 * 1024
LONGEST_WAIT_MS = 10_000  # longer ones need virtual time

# What an adapter must be able to do before a command can be sent to it (spec/adapter-protocol.md).
_CAPABILITY = {
    "reload": "reload",
    "shutdown": "shutdown",
    "offer": "external-ui",
    "resolve": "external-ui",
    "reject": "external-ui",
    "local": "local-ui",
    "tamper": "tamper",
    "break": "fault-injection",
    "press": "buttons",
    "transport": "transport",
    "connect": "provider",
    "open": "provider",
    "change": "caller-objects",
    "interrupt": "interrupt",
    "hold": "store",
    "block": "fault-injection",
}


class Step(NamedTuple):
    """One command and what must be seen after it; `shows` is blamed for what nobody expected."""

    do: dict[str, Any]
    see: list[Any]
    shows: tuple[str, ...]


class Case(NamedTuple):
    """One case, its fixtures put in.

    Attributes:
        id: the path of its file, without ending.
        role: the role that it is for.
        why: one sentence.
        variants: what an implementation must declare for the case to apply.
        needs: the capabilities without which it does not apply.
        steps: the script.
        shows: the requirements that its own expectations name, in order of first mention.
        secrets: texts of which no part may be observed, and the rules that this would break.
        source: the case as data, its fixtures put in: what a transcript keeps.
    """

    id: str
    role: str
    why: str
    variants: dict[str, str]
    needs: frozenset[str]
    steps: tuple[Step, ...]
    shows: tuple[str, ...]
    secrets: dict[str, list[str]]
    source: dict[str, Any]

    @property
    def contract(self) -> str:
        """The contract that it belongs to, such as `events`."""
        return self.id.partition("/")[0]


@cache
def case_ids() -> tuple[str, ...]:
    """The ids of the fixed cases, sorted; no file is read."""
    found = []
    for folder, _, files in os.walk(CASES):
        parts = Path(folder).relative_to(CASES).parts
        if len(parts) > 1 and parts[1] != "fixtures":
            found += ["/".join([*parts, name[:-5]]) for name in files if name.endswith(".json")]
    return tuple(sorted(found))


def load(case_id: str) -> Case:
    """The fixed case of this id. Raises InputError for one that its author has to mend.

    The fixed cases have been checked; only one that cannot be read is looked at once more.
    """
    path = CASES / f"{case_id}.json"
    try:
        case = parse(_read(path), f"{case_id}.json")
        for ident in case.shows:
            catalogue()[ident]
    except Exception:
        load_file(path)  # says what is wrong
        raise
    return case


def load_file(path: Path) -> Case:
    """A case from a file of the user's, checked. Raises InputError."""
    try:
        with path.open("rb") as file:
            data = wire.decode(file.read(wire.MAX_BYTES + 1))
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be read") from None
    except wire.WireError as error:
        raise InputError(str(path), str(error)) from None
    return check(data, str(path))


def check(data: Any, name: str) -> Case:
    """A case that came from outside, as data, which then can be run. Raises InputError."""
    from askproof import lint, schemas

    if len(wire.encode(data)) > MAX_CASE_BYTES:
        raise InputError(name, f"more than {MAX_CASE_BYTES} bytes are too many for a case")
    if problems := schemas.reasons("case", data):
        raise InputError(name, problems[0].message, pointer=problems[0].pointer or "the top")
    put_in = _with_fixtures(data, name)
    if problems := schemas.reasons("case", put_in):
        problem = f"with its fixtures put in: {problems[0].message}"
        raise InputError(name, problem, pointer=problems[0].pointer or "the top")
    if found := lint.values(put_in["steps"]):
        raise InputError(name, found[0])
    case = _case(put_in)
    if found := lint.content(case):
        raise InputError(name, found[0])
    return case


def parse(data: dict[str, Any], name: str) -> Case:
    """Put the fixtures of the case's contract into it. Raises InputError for a wrong fixture."""
    return _case(_with_fixtures(data, name))


def _with_fixtures(data: dict[str, Any], name: str) -> dict[str, Any]:
    try:
        steps = expand(data["steps"], fixtures(data["case"].partition("/")[0]))
    except KeyError as error:
        raise InputError(name, f"there is no fixture {error.args[0]!r}") from None
    except TypeError as error:
        raise InputError(name, str(error)) from None
    return {**data, "steps": steps}


def _case(data: dict[str, Any]) -> Case:
    steps = data["steps"]
    return Case(
        id=data["case"],
        role=data["role"],
        why=data["why"],
        variants=data.get("variants", {}),
        needs=frozenset(data.get("needs", ())) | _needs(steps),
        steps=tuple(Step(s["do"], s["see"], tuple(s.get("shows", ()))) for s in steps),
        shows=tuple(dict.fromkeys([*_shows(steps), *_kept(data)])),
        secrets=data.get("secrets", {}),
        source=data,
    )


@cache
def fixtures(contract: str) -> dict[str, Any]:
    """The fixtures of a contract, of all files in its folder."""
    found: dict[str, Any] = {}
    for path in sorted((CASES / contract / "fixtures").glob("*.json")):
        for name, value in _read(path).items():
            if name in found:
                raise InternalError(f"{path.name}: the fixture {name!r} is defined twice")
            found[name] = value
    return found


@cache
def blame_table(contract: str) -> dict[str, Any]:
    """What each kind of observation shows, by role: `cases/CONTRACT/blame.json`."""
    path = CASES / contract / "blame.json"
    return _read(path) if path.exists() else {}


def expand(value: Any, known: dict[str, Any]) -> Any:
    """Replace `@name` and `{"...": "@name"}` by the fixtures.

    Raises KeyError for an unknown fixture and TypeError for one whose members cannot be taken over.
    """
    if isinstance(value, str):
        return expand(known[value[1:]], known) if value.startswith("@") else value
    if isinstance(value, list):
        return [expand(item, known) for item in value]
    if not isinstance(value, dict) or "$literal" in value:
        return value
    members = expand(value["..."], known) if "..." in value else {}
    if not isinstance(members, dict):
        raise TypeError(f"the fixture {value['...']} has no members")
    members = members | {key: expand(item, known) for key, item in value.items() if key != "..."}
    return {key: item for key, item in members.items() if item != {"$absent": True}}


def expectations(see: list[Any]) -> list[dict[str, Any]]:
    """The expectations of a step, those of its unordered groups among them, in order."""
    return [one for element in see for sequence in sequences(element) for one in sequence]


def sequences(element: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """What an element of `see` holds: an expectation, or several sequences of them in any order."""
    members = element.get("unordered", [element])
    return [member if isinstance(member, list) else [member] for member in members]


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InternalError(f"{path.name}: {error}") from None


def _needs(steps: list[dict[str, Any]]) -> frozenset[str]:
    found = {need for step in steps for need in needs(step["do"])}
    waits = sum(step["do"].get("advance", {}).get("ms", 0) for step in steps)
    return frozenset(found | ({"virtual-time"} if waits > LONGEST_WAIT_MS else set()))


def needs(command: dict[str, Any]) -> list[str]:
    """The capabilities that a command needs; without them it is not sent."""
    ((name, arguments),) = command.items()
    if name == "ask":
        return _needs_of_ask(arguments)
    if name == "read":
        return [str(arguments["form"])]
    if name == "emit":
        starts = str(arguments.get("channel")).startswith("second:started")
        return ["second-namespace"] if starts else []
    if name == "shutdown" and "manager" in arguments:  # of one session, which all can end
        return []
    return [_CAPABILITY[name]] if name in _CAPABILITY else []


def _needs_of_ask(ask: dict[str, Any]) -> list[str]:
    settings = ask.get("settings", {})
    needs = {
        "tui": ask.get("mode") == "tui" and "tool" not in ask,  # an issuer's UI is the adapter's
        "background": ask.get("background", False),
        "commands": ask.get("source", "tool") != "tool",
        "single-as-multi": settings == {"presentSingleAsMulti": True},
        "preview-files": "files" in ask,
    }
    return [capability for capability, needed in needs.items() if needed]


def _kept(data: dict[str, Any]) -> list[str]:
    return [ident for idents in data.get("secrets", {}).values() for ident in idents]


def _shows(steps: list[dict[str, Any]]) -> list[str]:
    named: list[str] = []
    for step in steps:
        named += step.get("shows", [])
        for expectation in expectations(step["see"]):
            own = expectation.get("shows", [])
            named += own if isinstance(own, list) else [one for ids in own.values() for one in ids]
    return named
