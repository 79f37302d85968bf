"""Comparing what was observed with what a case expects, and saying which rule a difference breaks.

Patterns and blame are described in `spec/case-format.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from askproof.case import expectations
from askproof.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NOT_THERE: Any = type("NotThere", (), {"__repr__": lambda _: "(nothing)"})()

_WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "text": lambda value: isinstance(value, str) and value.strip(_WHITE_SPACE) != "",
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "anything": lambda _: True,
}
_META = ("shows", "bind", "optional")


@dataclass(frozen=True)
class Difference:
    """One thing that is not as expected.

    Attributes:
        pointer: JSON pointer into the observation.
        expected: the pattern, or NOT_THERE.
        observed: the value, or NOT_THERE.
        blames: the requirements that are broken.
        observation: the whole observation, or NOT_THERE if it was missing.
        expectation: the whole expectation, or NOT_THERE if nobody expected it.
    """

    pointer: str
    expected: Any
    observed: Any
    blames: tuple[str, ...] = ()
    observation: Any = NOT_THERE
    expectation: Any = NOT_THERE


@dataclass
class Matcher:
    """Compares the steps of one case; keeps what the case has bound.

    Attributes:
        table: the blame table of the role.
        bound: values by name.
    """

    table: dict[str, Any]
    bound: dict[str, Any] = field(default_factory=dict)

    def step(
        self, see: list[Any], shows: tuple[str, ...], observed: list[dict[str, Any]]
    ) -> list[Difference]:
        """Every difference between a step's expectations and its observations."""
        wanted = expectations(see)
        found: dict[int, int] = {}
        differences = self._pair(wanted, observed, found)
        for index, expectation in enumerate(wanted):
            if index not in found and not expectation.get("optional"):
                blames = self.blames(expectation, "")
                differences.append(
                    Difference("", expectation, NOT_THERE, blames, expectation=expectation)
                )
        differences += self._disorder(see, found, observed)
        for at in sorted(set(range(len(observed))) - set(found.values())):
            kind = kind_of(observed[at])
            unexpected = self.table.get("unexpected", {})
            blames = shows or tuple(unexpected.get(kind) or unexpected.get(kind.split(":")[0], ()))
            differences.append(Difference("", NOT_THERE, observed[at], blames, observed[at]))
        return differences

    def _pair(
        self, wanted: list[dict[str, Any]], observed: list[dict[str, Any]], found: dict[int, int]
    ) -> list[Difference]:
        """Give each expectation an observation that fits, else one of the same kind, into `found`."""
        left = list(range(len(observed)))
        misfits: list[Difference] = []
        for fits in (self._fits, self._same_kind):
            for index, expectation in enumerate(wanted):
                if index in found or (fits == self._same_kind and expectation.get("optional")):
                    continue
                at = next((at for at in left if fits(expectation, observed[at])), None)
                if at is None:
                    continue
                if fits == self._same_kind:
                    misfits += self._misfits(expectation, observed[at])
                found[index] = at
                left.remove(at)
                self._bind(expectation, observed[at])
        return misfits

    def _fits(self, expectation: dict[str, Any], observation: dict[str, Any]) -> bool:
        return not differences(pattern_of(expectation), observation, self.bound)

    def _same_kind(self, expectation: dict[str, Any], observation: dict[str, Any]) -> bool:
        kind = next(iter(expectation))
        return kind in observation and not differences(
            expectation[kind], observation[kind], self.bound
        )

    def _misfits(
        self, expectation: dict[str, Any], observation: dict[str, Any]
    ) -> Iterable[Difference]:
        for one in differences(pattern_of(expectation), observation, self.bound):
            blames = self.blames(expectation, one.pointer)
            yield Difference(
                one.pointer, one.expected, one.observed, blames, observation, expectation
            )

    def _bind(self, expectation: dict[str, Any], observation: dict[str, Any]) -> None:
        for name, pointer in expectation.get("bind", {}).items():
            value = resolve(observation, pointer)
            if value is not NOT_THERE:
                self.bound[name] = value

    def _disorder(
        self,
        see: list[Any],
        found: dict[int, int],
        observed: list[dict[str, Any]],
    ) -> Iterable[Difference]:
        position = {id(one): found[n] for n, one in enumerate(expectations(see)) if n in found}
        latest = -1
        for element in see:
            group = [one for one in expectations([element]) if id(one) in position]
            for one in group:
                at = position[id(one)]
                if at < latest:
                    blames = self.blames(one, "")
                    yield Difference("", one, observed[at], blames, observed[at], one)
            latest = max([latest, *(position[id(one)] for one in group)])

    def blames(self, expectation: dict[str, Any], pointer: str) -> tuple[str, ...]:
        """The requirements of the longest entry that leads to the pointer; the case's own win."""
        own = expectation.get("shows", {})
        entries = own if isinstance(own, dict) else {"": own}
        kinds = self.table.get("kinds", {})
        kind = kind_of(expectation)
        general = kinds.get(kind) or kinds.get(kind.split(":")[0], {})
        best: tuple[int, tuple[str, ...]] = (-1, ())
        for path, ids in [*entries.items(), *general.items()]:
            length = _leads(path, pointer)
            if length > best[0]:
                best = (length, tuple(ids))
        return best[1]


def kind_of(observation: dict[str, Any]) -> str:
    """The name under which the blame table knows an observation: `tool`, `emitted:started`."""
    name = next(iter(observation))
    channel = observation[name]
    if name != "emitted" or not isinstance(channel, str):
        return name
    return f"emitted:{channel.rpartition(':')[2]}"


def pattern_of(expectation: dict[str, Any]) -> dict[str, Any]:
    """An expectation as a pattern; members of an observation that nobody knows are ignored."""
    return {"$open": {key: value for key, value in expectation.items() if key not in _META}}


def differences(
    pattern: Any, value: Any, bound: dict[str, Any], pointer: str = ""
) -> list[Difference]:
    """How a value differs from a pattern; an empty list if it matches."""
    if isinstance(pattern, str) and pattern.startswith("$"):
        pattern = {"$literal": bound.get(pattern[1:], {"unknown": pattern})}
    if isinstance(pattern, dict):
        directive = next((key for key in pattern if key.startswith("$")), None)
        if directive is not None:
            return _directive(directive, pattern[directive], value, bound, pointer)
        return _members(pattern, value, bound, pointer, closed=True)
    if isinstance(pattern, list) and isinstance(value, list):
        found: list[Difference] = []
        for index in range(max(len(pattern), len(value))):
            want = pattern[index] if index < len(pattern) else NOT_THERE
            have = value[index] if index < len(value) else NOT_THERE
            found += differences(want, have, bound, f"{pointer}/{index}")
        return found
    return [] if same(pattern, value) else [Difference(pointer, pattern, value)]


def _directive(
    name: str, argument: Any, value: Any, bound: dict[str, Any], pointer: str
) -> list[Difference]:
    if name == "$open":
        return _members(argument, value, bound, pointer, closed=False)
    if name == "$optional":
        return [] if value is NOT_THERE else differences(argument, value, bound, pointer)
    if name == "$any":
        matches = value is not NOT_THERE and _TYPES[argument](value)
    elif name == "$one-of":
        matches = any(not differences(one, value, bound) for one in argument)
    elif name == "$not":
        matches = value is not NOT_THERE and bool(differences(argument, value, bound))
    elif name == "$literal":
        matches = same(argument, value)
    elif name == "$repeat":
        matches = same(argument[0] * argument[1], value)
    else:
        raise InternalError(f"a case uses the unknown pattern {name}")
    return [] if matches else [Difference(pointer, {name: argument}, value)]


def _members(
    pattern: dict[str, Any], value: Any, bound: dict[str, Any], pointer: str, *, closed: bool
) -> list[Difference]:
    if not isinstance(value, dict):
        return [Difference(pointer, pattern, value)]
    found: list[Difference] = []
    for key, want in pattern.items():
        have = value.get(key, NOT_THERE)
        found += differences(want, have, bound, f"{pointer}/{escape(key)}")
    if closed:
        extra = (key for key in value if key not in pattern)
        found += [Difference(f"{pointer}/{escape(k)}", NOT_THERE, value[k]) for k in extra]
    return found


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values: true is not 1, and 1.0 is not an integer."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def substitute(value: Any, bound: dict[str, Any]) -> Any:
    """A command with `$name`, `$literal` and `$repeat` put in. Raises KeyError for an unbound name."""
    if isinstance(value, str):
        return bound[value[1:]] if value.startswith("$") else value
    if isinstance(value, list):
        return [substitute(item, bound) for item in value]
    if not isinstance(value, dict):
        return value
    if "$literal" in value:
        return value["$literal"]
    if "$repeat" in value:
        text, times = value["$repeat"]
        return text * times
    return {key: substitute(item, bound) for key, item in value.items()}


def escape(key: str) -> str:
    """A member's name as a segment of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def resolve(value: Any, pointer: str) -> Any:
    """The value at a JSON pointer, or NOT_THERE."""
    for segment in pointer.split("/")[1:]:
        key = segment.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return NOT_THERE
    return value


def _leads(path: str, pointer: str) -> int:
    """How many segments of the pointer a path of the blame table covers, or -1."""
    wanted, given = path.split("/")[1:], pointer.split("/")[1:]
    if len(wanted) > len(given):
        return -1
    leads = all(w in ("*", g) for w, g in zip(wanted, given, strict=False))
    return len(wanted) if leads else -1
