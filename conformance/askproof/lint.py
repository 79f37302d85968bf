"""What is wrong with a case: `python -m askproof.lint` looks at all, `--write` formats their files.

`content` says what would keep a case from being run, whoever wrote it; `problems` adds the rules
that the cases of the kit keep. `spec/case-format.md` explains both.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any

from askproof import case as cases
from askproof import schemas, wire
from askproof.errors import InputError
from askproof.match import NOT_THERE, Matcher, kind_of, pattern_of, resolve, substitute
from askproof.specification import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from askproof.case import Case

MAX_REPEATED = 4 * 1024 * 1024
_MOST_NESTED = 4  # every level of quoting may double a text
_WIDTH = 120
_LONGEST_WHY = 200
_PREPARES = {
    *("offer", "listen", "tamper", "break", "transport", "reload"),
    *("manager", "append", "move", "hide", "enter", "subscribe", "unsubscribe", "change"),
    *("watch", "deliver", "mode", "hold", "block"),
}
# What stands for a string that may be anything: among these is what each closed list allows.
_STRINGS = ("x", "answered", "accepted", "elaborated")
_SAMPLES: dict[str, Any] = {
    "integer": 1,
    "milliseconds": 10**12,
    "rfc3339": "2026-01-02T03:04:05Z",
    "boolean": True,
    "array": [],
    "object": {},
}


def problems(file: Path) -> list[str]:
    """Everything that is wrong with the file of a case of the kit."""
    name = file.relative_to(cases.CASES).with_suffix("").as_posix()
    try:
        data = wire.decode(file.read_bytes())
        case = cases.check(data, name)
    except (wire.WireError, InputError) as error:
        return [str(error).removeprefix(f"{name}: ")]
    return list(chain(_form(file, name, data), _blame(case)))


def content(case: Case) -> list[str]:
    """What would keep a case from being run; the schema `case` holds for how it was written."""
    return [*_requirements(case), *_Rehearsal(case).problems()]


def values(steps: list[Any]) -> list[str]:
    """What no schema can say of the values of a case with its fixtures put in."""
    found = [*_misplaced(steps)]
    repeats = [*_repeats(steps)]
    if any(type(times) is not int for _, times in repeats):
        found.append("$repeat has a number of times that is not whole")
    elif sum(max(1, len(text)) * times for text, times in repeats) > MAX_REPEATED:
        found.append(f"$repeat makes more than {MAX_REPEATED} characters")
    if max(_levels(steps, "$json"), 4 * _levels(steps, "$bytes")) > _MOST_NESTED:
        found.append("$json or $bytes within one another, which would make endless text")
    waits = [step["do"]["advance"].get("ms") for step in steps if "advance" in step["do"]]
    if any(type(ms) is not int for ms in waits):
        found.append("advance has `ms` that is not a whole number")
    return found


def unused(contract: str) -> list[str]:
    """The fixtures of a contract that nothing mentions."""
    fixtures = cases.fixtures(contract)
    files = (cases.CASES / contract).rglob("*.json")
    texts = [file.read_text(encoding="utf-8") for file in files]
    return [name for name in fixtures if not any(f'"@{name}"' in text for text in texts)]


def formatted(value: Any, indent: int = 0, column: int = 0) -> str:
    """JSON in ASCII, with what fits on a line on one line; the top never does."""
    flat = json.dumps(value)
    fits = indent and column + len(flat) < _WIDTH
    if not isinstance(value, dict | list) or not value or fits:
        return flat
    inner = indent + 2
    if isinstance(value, dict):
        starts = [f"{' ' * inner}{json.dumps(name)}: " for name in value]
        items = list(value.values())
    else:
        starts, items = [" " * inner] * len(value), value
    pairs = zip(starts, items, strict=True)
    lines = ",\n".join(start + formatted(item, inner, len(start)) for start, item in pairs)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{lines}\n{' ' * indent}{closing}"


def _form(file: Path, name: str, data: dict[str, Any]) -> Iterator[str]:
    why = data["why"]
    if data["case"] != name:
        yield f"its id is {data['case']!r}, its path says {name!r}"
    if name.split("/")[1] != data["role"]:
        yield f"it lies in the folder of another role than {data['role']}"
    if not why.endswith(".") or len(why) > _LONGEST_WHY or not why.isprintable():
        yield f"`why` is not one printable sentence of at most {_LONGEST_WHY} characters"
    if formatted(data) + "\n" != file.read_text(encoding="utf-8"):
        yield "it is not formatted; run: python -m askproof.lint --write"


def _requirements(case: Case) -> Iterator[str]:
    for ident in case.shows:
        if ident not in catalogue():
            yield f"there is no requirement {ident}"
        elif case.role not in catalogue()[ident].roles:
            yield f"{ident} does not bind {case.role}"


def _blame(case: Case) -> Iterator[str]:
    if not case.shows:
        yield "no expectation says what it shows"
    if not any(step.see for step in case.steps):
        yield "it expects nothing: an implementation that does nothing would pass"
    matcher = Matcher(cases.blame_table(case.contract).get(case.role, {}))
    for number, step in enumerate(case.steps, 1):
        if not step.see and not step.shows and not _prepares(step.do):
            yield f"step {number} expects nothing, and has no `shows` to say which rule that is"
        for expectation in cases.expectations(step.see):
            if not matcher.blames(expectation, "")[0]:
                yield f"step {number} expects {kind_of(expectation)}, and no rule asks for it"


def _prepares(do: dict[str, Any]) -> bool:
    """Whether a command only prepares what follows, so that nothing is its natural outcome."""
    fills = do.get("local", {}).get("act") == "fill" or do.get("act", {}).get("then") == "stay"
    return fills or not do.keys().isdisjoint(_PREPARES)


class _Rehearsal:
    """Goes through a case with a made-up implementation that does all that is expected."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._bound: dict[str, Any] = {}
        self._unsure: set[str] = set()

    def problems(self) -> Iterator[str]:
        """What cannot be sent, cannot be observed, or is used before it is known."""
        for number, step in enumerate(self._case.steps, 1):
            try:
                yield from (f"step {number} {problem}" for problem in self._step(step))
            except KeyError as error:
                yield f"step {number} uses ${error.args[0]}, which nothing before it binds"
                return

    def _step(self, step: cases.Step) -> Iterator[str]:
        for name in sorted(self._unsure & _names(step.do)):
            yield f"uses ${name} in a command, and that need not have been seen"
        command, schema = substitute(step.do, self._bound), f"adapter/{self._case.role}-command"
        if not schemas.is_valid(schema, command):
            problem = schemas.reasons(schema, command)[0]
            yield f"sends a wrong command: {problem.message} at {problem.pointer or 'the top'}"
        schema = f"adapter/{self._case.role}-observation"
        for expectation in cases.expectations(step.see):
            pattern = pattern_of(expectation)
            samples = [self._sample(pattern, choice) for choice in range(len(_STRINGS))]
            if not any(schemas.is_valid(schema, sample) for sample in samples):
                problem = schemas.reasons(schema, samples[0])[0]
                what = f"expects {kind_of(pattern)!r}, which cannot be observed like that"
                yield f"{what}: {problem.message} at {problem.pointer or 'the top'}"
            self._bind(expectation, samples[0])

    def _bind(self, expectation: dict[str, Any], seen: Any) -> None:
        for name, pointer in expectation.get("bind", {}).items():
            value = resolve(seen, pointer)
            self._bound[name] = _STRINGS[0] if value is NOT_THERE else value
            if value is NOT_THERE or expectation.get("optional"):
                self._unsure.add(name)
            else:
                self._unsure.discard(name)

    def _sample(self, pattern: Any, choice: int) -> Any:
        """A value that matches; `choice` takes one of the alternatives, and 0 only what must be."""
        if isinstance(pattern, str) and pattern.startswith("$"):
            return self._bound[pattern[1:]]
        if isinstance(pattern, list):
            return [self._sample(item, choice) for item in pattern]
        if not isinstance(pattern, dict):
            return pattern
        name = next(iter(pattern), "")
        if name.startswith("$") and name != "$open":
            return self._stands_for(name, pattern[name], choice)
        members = pattern.get("$open", pattern)
        sampled = {key: self._sample(item, choice) for key, item in members.items()}
        return {key: item for key, item in sampled.items() if item is not NOT_THERE}

    def _stands_for(self, name: str, argument: Any, choice: int) -> Any:
        """A value for what is written as an object of one member, `{name: argument}`."""
        match name:
            case "$any":
                return _SAMPLES.get(argument, _STRINGS[choice])
            case "$one-of":
                return [self._sample(one, choice) for one in argument][choice % len(argument)]
            case "$optional":
                seen = self._sample(argument, choice)
                return seen if choice % 2 else NOT_THERE
            case "$not":
                self._sample(argument, choice)
                return _STRINGS[choice]
            case "$json":
                return json.dumps(self._sample(argument, choice))
            case "$lines":
                lines = [one and json.dumps(self._sample(one, choice)) for one in argument]
                return "".join(f"{line}\n" for line in lines)
            case "$contains":
                return argument
        return substitute({name: argument}, {})


def _names(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value[1:]} if value.startswith("$") else set()
    if not isinstance(value, dict | list) or "$literal" in value:
        return set()
    items = value.values() if isinstance(value, dict) else value
    return set().union(*map(_names, items))


def _misplaced(value: Any, *, member: bool = False) -> Iterator[str]:
    """Tell of what only a member can be, where there is none."""
    if isinstance(value, list):
        for item in value:
            yield from _misplaced(item)
    if not isinstance(value, dict) or "$literal" in value:
        return
    if "$absent" in value or ("$optional" in value and not member):
        yield f"{next(iter(value))} stands where there is no member that it could be of"
    for name, item in value.items():
        yield from _misplaced(item, member=not name.startswith("$"))


def _levels(value: Any, name: str) -> int:
    """How deep patterns of that name lie within one another."""
    items = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | list) or "$literal" in value:
        return 0
    return (name in value) + max((_levels(item, name) for item in items), default=0)


def _repeats(value: Any) -> Iterator[tuple[str, Any]]:
    """Every `$repeat` of a value: the text, and how many times."""
    if isinstance(value, dict) and "$repeat" in value:
        text, times = value["$repeat"]
        yield text, times
    elif isinstance(value, dict | list) and "$literal" not in value:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _repeats(item)


def main(arguments: list[str]) -> int:
    """Print what is wrong with the cases of the kit; with `--write`, format their files first."""
    files = sorted(cases.CASES.glob("*/*/**/*.json"))
    if "--write" in arguments:
        for file in files:
            text = formatted(wire.decode(file.read_bytes())) + "\n"
            file.write_text(text, encoding="utf-8")
    found = [
        f"{file.relative_to(cases.CASES)}: {problem}"
        for file in files
        if file.parent.name != "fixtures"
        for problem in problems(file)
    ]
    found += [
        f"{folder.name}: the fixture {name!r} is used nowhere"
        for folder in cases.CASES.iterdir()
        for name in unused(folder.name)
    ]
    print("\n".join(found) or f"nothing wrong with {len(files)} files")  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
