"""Comparing what was observed with what a case expects, and saying which rule a difference breaks.

Patterns and blame are described in `spec/case-format.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from askproof.case import expectations
from askproof.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NOT_THERE: Any = type("NotThere", (), {"__repr__": lambda _: "(nothing)"})()

# In JSON the order of members means nothing: a kind is recognized by its name, not by its place.
KINDS = (
    "emitted",
    "heard",
    "connected",
    "opened",
    "aborted",
    "tool",
    "shown",
    "told",
    "closed",
    "offered",
    "resolved",
    "rejected",
)

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


class Difference(NamedTuple):
    """One thing that is not as expected.

    Attributes:
        pointer: JSON pointer into the observation.
        expected: the pattern, or NOT_THERE.
        observed: the value, or NOT_THERE.
        blames: the requirements that are broken.
        observation: the whole observation, or NOT_THERE if it was missing.
        expectation: the whole expectation, or NOT_THERE if nobody expected it.
        early: whether it was as expected, but came before its turn.
    """

    pointer: str
    expected: Any
    observed: Any
    blames: tuple[str, ...] = ()
    observation: Any = NOT_THERE
    expectation: Any = NOT_THERE
    early: bool = False


class Matcher:
    """Compares the steps of one case.

    Attributes:
        table: the blame table of the role.
        bound: what the case has bound, by name.
    """

    def __init__(self, table: dict[str, Any]) -> None:
        self.table = table
        self.bound: dict[str, Any] = {}

    def step(
        self, see: list[Any], shows: tuple[str, ...], observed: list[dict[str, Any]]
    ) -> list[Difference]:
        """Every difference between a step's expectations and its observations."""
        wanted = expectations(see)
        place, found, left = self._pair(wanted, observed)
        for index, expectation in enumerate(wanted):
            if index not in place and not expectation.get("optional"):
                found.append(self._missing(expectation))
        found += self._disorder(see, place, observed)
        for at in left:
            blames = shows or self._entry("unexpected", observed[at], ())
            found.append(Difference("", NOT_THERE, observed[at], tuple(blames), observed[at]))
        return found

    def blames(self, expectation: dict[str, Any], pointer: str) -> tuple[str, ...]:
        """The requirements of the longest entry that leads to the pointer; the case's own win."""
        own = expectation.get("shows", {})
        entries = own if isinstance(own, dict) else {"": own}
        general = self._entry("kinds", expectation, {})
        best: tuple[int, tuple[str, ...]] = (-1, ())
        for path, ids in [*entries.items(), *general.items()]:
            length = _leads(path, pointer)
            if length > best[0]:
                best = (length, tuple(ids))
        return best[1]

    def _entry(self, part: str, observation: dict[str, Any], default: Any) -> Any:
        """What the blame table says of an observation: of its channel, else of its kind."""
        entries = self.table.get(part, {})
        name = kind_of(observation)
        channel = str(observation.get(name)).rpartition(":")[2]
        return entries.get(f"{name}:{channel}") or entries.get(name, default)

    def _pair(
        self, wanted: list[dict[str, Any]], observed: list[dict[str, Any]]
    ) -> tuple[dict[int, int], list[Difference], list[int]]:
        """Give each expectation an observation: one that fits, else one of the same kind.

        Return the place of the observation by that of the expectation, how the two differ, and the
        places of the observations that nobody expected.
        """
        left = list(range(len(observed)))
        place: dict[int, int] = {}
        found: list[Difference] = []
        for fits in (self._fits, self._must_be, self._may_be):
            for index, expectation in enumerate(wanted):
                if index in place:
                    continue
                at = next((at for at in left if fits(expectation, observed[at])), None)
                if at is not None:
                    place[index] = at
                    left.remove(at)
                    found += self._judge(expectation, observed[at])
                    self._bind(expectation, observed[at])
        return place, found, left

    def _fits(self, expectation: dict[str, Any], observation: dict[str, Any]) -> bool:
        return not differences({"$open": pattern_of(expectation)}, observation, self.bound)

    def _must_be(self, expectation: dict[str, Any], observation: dict[str, Any]) -> bool:
        return not expectation.get("optional") and self._may_be(expectation, observation)

    def _may_be(self, expectation: dict[str, Any], observation: dict[str, Any]) -> bool:
        kind = kind_of(expectation)
        return kind in observation and not differences(
            expectation[kind], observation[kind], self.bound
        )

    def _judge(
        self, expectation: dict[str, Any], observation: dict[str, Any]
    ) -> Iterable[Difference]:
        """How they differ; what an expectation does not write may be anything."""
        for one in differences({"$open": pattern_of(expectation)}, observation, self.bound):
            blames = self.blames(expectation, one.pointer)
            yield one._replace(blames=blames, observation=observation, expectation=expectation)

    def _bind(self, expectation: dict[str, Any], observation: dict[str, Any]) -> None:
        for name, pointer in expectation.get("bind", {}).items():
            value = resolve(observation, pointer)
            if value is not NOT_THERE:
                self.bound[name] = value

    def _missing(self, expectation: dict[str, Any]) -> Difference:
        blames, pattern = self.blames(expectation, ""), pattern_of(expectation)
        return Difference("", pattern, NOT_THERE, blames, expectation=expectation)

    def _disorder(
        self, see: list[Any], place: dict[int, int], observed: list[dict[str, Any]]
    ) -> Iterable[Difference]:
        """What came before something that had to come first."""
        latest, index = -1, 0
        for element in see:
            group = expectations([element])
            placed = [(place[at], one) for at, one in enumerate(group, index) if at in place]
            for at, one in placed:
                if at < latest:
                    blames, seen = self.blames(one, ""), observed[at]
                    yield Difference("", pattern_of(one), seen, blames, seen, one, early=True)
            index += len(group)
            latest = max([latest, *(at for at, _ in placed)])


def kind_of(observation: dict[str, Any]) -> str:
    """The name of the kind of an observation or expectation; empty for none."""
    return next((name for name in KINDS if name in observation), "")


def pattern_of(expectation: dict[str, Any]) -> dict[str, Any]:
    """An expectation without what it says beside the pattern."""
    return {k: v for k, v in expectation.items() if k not in ("shows", "bind", "optional")}


def differences(
    pattern: Any, value: Any, bound: dict[str, Any], pointer: str = ""
) -> list[Difference]:
    """How a value differs from a pattern; an empty list if it matches."""
    if isinstance(pattern, str) and pattern.startswith("$"):
        if pattern[1:] not in bound:
            return [Difference(pointer, pattern, value)]
        pattern = {"$literal": bound[pattern[1:]]}
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
        if same(argument, value):
            return []
        return [Difference(pointer, argument, value)]
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
    """Put `$name`, `$literal` and `$repeat` into a command. Raises KeyError for an unbound name."""
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
