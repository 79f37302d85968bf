"""Comparing what was observed with what a case expects, and saying which rule a difference breaks.

Patterns and blame are described in `spec/case-format.md`.
"""

from __future__ import annotations

import json
import re
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from askproof import wire
from askproof.case import expectations, sequences
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
    "delivered",
    "changed",
    "granted",
    "counted",
    "agreed",
    "evidence",
    "unsubscribed",
    "appended",
    "record",
    "diagnostic",
    "refused",
    "wrote",
    "message",
)
# What is observed under these is no name by which one is told from another.
_NAMELESS = ("granted", "counted", "agreed", "evidence", "message")

_WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "text": lambda value: isinstance(value, str) and value.strip(_WHITE_SPACE) != "",
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "milliseconds": lambda value: type(value) is int and 10**11 <= value < 10**14,
    "rfc3339": lambda value: isinstance(value, str) and is_rfc3339(value),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "anything": lambda _: True,
}


_RFC3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)


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
        own: whether the case itself explains it, by naming what it breaks or follows from, and not
            the blame table.
    """

    pointer: str
    expected: Any
    observed: Any
    blames: tuple[str, ...] = ()
    observation: Any = NOT_THERE
    expectation: Any = NOT_THERE
    early: bool = False
    own: bool = False


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
            blames = tuple(shows or self._entry("unexpected", observed[at], ()))
            one = Difference("", NOT_THERE, observed[at], blames, observed[at], own=bool(shows))
            found.append(one)
        return [one._replace(expected=_told(one.expected, self.bound)) for one in found]

    def blames(self, expectation: dict[str, Any], pointer: str) -> tuple[tuple[str, ...], bool]:
        """The requirements of the longest entry that leads to the pointer; the case's own win.

        Return them, and whether the entry is the case's own.
        """
        named = expectation.get("shows", {})
        mine = named if isinstance(named, dict) else {"": named}
        general = self._entry("kinds", expectation, {})
        longest = -1
        best: tuple[tuple[str, ...], bool] = ((), False)
        for entries in (mine, general):
            for path, ids in entries.items():
                length = _leads(path, pointer)
                if length > longest:
                    longest, best = length, (tuple(ids), entries is mine)
        return best

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
                    if fits != self._fits:
                        found += self._judge(expectation, observed[at])
                    self._bind(expectation, observed[at])
        return place, found, left

    def _fits(self, expectation: dict[str, Any], observation: dict[str, Any]) -> bool:
        return self._may_be(expectation, observation) and not differences(
            {"$open": pattern_of(expectation)}, observation, self.bound
        )

    def _must_be(self, expectation: dict[str, Any], observation: dict[str, Any]) -> bool:
        return not expectation.get("optional") and self._may_be(expectation, observation)

    def _may_be(self, expectation: dict[str, Any], observation: dict[str, Any]) -> bool:
        kind = kind_of(expectation)
        if kind not in observation:
            return False
        nameless = kind in _NAMELESS
        return nameless or not differences(expectation[kind], observation[kind], self.bound)

    def _judge(
        self, expectation: dict[str, Any], observation: dict[str, Any]
    ) -> Iterable[Difference]:
        """How they differ; what an expectation does not write may be anything."""
        for one in differences({"$open": pattern_of(expectation)}, observation, self.bound):
            blames, own = self.blames(expectation, one.pointer)
            yield one._replace(
                blames=blames, observation=observation, expectation=expectation, own=own
            )

    def _bind(self, expectation: dict[str, Any], observation: dict[str, Any]) -> None:
        for name, pointer in expectation.get("bind", {}).items():
            value = resolve(observation, pointer)
            if value is not NOT_THERE:
                self.bound[name] = value

    def _missing(self, expectation: dict[str, Any]) -> Difference:
        (blames, own), pattern = self.blames(expectation, ""), pattern_of(expectation)
        return Difference("", pattern, NOT_THERE, blames, expectation=expectation, own=own)

    def _disorder(
        self, see: list[Any], place: dict[int, int], observed: list[dict[str, Any]]
    ) -> Iterable[Difference]:
        """What came before something that had to come first."""
        before, numbers = -1, count()
        for element in see:
            reached = before
            for sequence in sequences(element):
                latest = before
                for one, number in zip(sequence, numbers, strict=False):
                    at = place.get(number, latest)
                    if at < latest:
                        (blames, own), seen = self.blames(one, ""), observed[at]
                        early = Difference("", pattern_of(one), seen, blames, seen, one, own=own)
                        yield early._replace(early=True)
                    latest = max(latest, at)
                reached = max(reached, latest)
            before = reached


def kind_of(observation: dict[str, Any]) -> str:
    """The name of the kind of an observation or expectation; empty for none."""
    return next((name for name in KINDS if name in observation), "")


def pattern_of(expectation: dict[str, Any]) -> dict[str, Any]:
    """An expectation without what it says beside the pattern."""
    beside = ("shows", "bind", "optional", "where")
    return {name: value for name, value in expectation.items() if name not in beside}


def differences(pattern: Any, value: Any, bound: dict[str, Any]) -> list[Difference]:
    """How a value differs from a pattern; an empty list if it matches."""
    kind = type(pattern)
    if kind is str and pattern.startswith("$"):
        if pattern[1:] not in bound:
            return [Difference("", pattern, value)]
        return _directive("$literal", bound[pattern[1:]], value, bound)
    if kind is dict:
        name = next(iter(pattern), "")
        if name.startswith("$"):
            return _directive(name, pattern[name], value, bound)
        return _members(pattern, value, bound, closed=True)
    if kind is list and isinstance(value, list):
        found: list[Difference] = []
        for index in range(max(len(pattern), len(value))):
            want = pattern[index] if index < len(pattern) else NOT_THERE
            have = value[index] if index < len(value) else NOT_THERE
            if inner := differences(want, have, bound):
                found += _inside(str(index), inner)
        return found
    return [] if same(pattern, value) else [Difference("", pattern, value)]


def _directive(name: str, argument: Any, value: Any, bound: dict[str, Any]) -> list[Difference]:
    if name == "$open":
        return _members(argument, value, bound, closed=False)
    if name == "$optional":
        return [] if value is NOT_THERE else differences(argument, value, bound)
    if name == "$literal":
        return [] if same(argument, value) else [Difference("", argument, value)]
    if name == "$json":
        return _json(argument, value, bound)
    if name == "$lines":
        return _lines(argument, value, bound)
    if name == "$any":
        matches = value is not NOT_THERE and _TYPES[argument](value)
    elif name == "$one-of":
        matches = any(not differences(one, value, bound) for one in argument)
    elif name == "$not":
        matches = value is not NOT_THERE and bool(differences(argument, value, bound))
    elif name == "$contains":
        matches = isinstance(value, str) and argument.casefold() in value.casefold()
    elif name == "$repeat":
        matches = same(argument[0] * argument[1], value)
    else:
        raise InternalError(f"a case uses the unknown pattern {name}")
    return [] if matches else [Difference("", {name: argument}, value)]


def _json(pattern: Any, text: Any, bound: dict[str, Any]) -> list[Difference]:
    """How what a string holds as JSON differs from a pattern."""
    try:
        # A lone surrogate and its escape are the same to JSON.
        value = wire.decode(text.encode("utf-8", "backslashreplace"))
    except (AttributeError, wire.WireError):
        return [Difference("", {"$json": pattern}, text)]
    return differences(pattern, value, bound)


def _lines(patterns: list[Any], text: Any, bound: dict[str, Any]) -> list[Difference]:
    """How the lines of a string differ from patterns, one each; that of an empty line is `""`."""
    lines = text.split("\n") if isinstance(text, str) else []
    if len(lines) != len(patterns) + 1 or lines[-1]:
        return [Difference("", {"$lines": patterns}, text)]
    found: list[Difference] = []
    for number, (pattern, line) in enumerate(zip(patterns, lines, strict=False)):
        wrong = [] if line == "" else [Difference("", "", line)]
        found += _inside(str(number), wrong if pattern == "" else _json(pattern, line, bound))
    return found


def _members(
    pattern: dict[str, Any], value: Any, bound: dict[str, Any], *, closed: bool
) -> list[Difference]:
    if not isinstance(value, dict):
        return [Difference("", pattern, value)]
    found: list[Difference] = []
    for key, want in pattern.items():
        if inner := differences(want, value.get(key, NOT_THERE), bound):
            found += _inside(key, inner)
    if closed and not value.keys() <= pattern.keys():
        for key in (key for key in value if key not in pattern):
            found += _inside(key, [Difference("", NOT_THERE, value[key])])
    return found


def _inside(key: str, found: list[Difference]) -> list[Difference]:
    """The differences of a member, seen from outside."""
    return [one._replace(pointer=f"/{escape(key)}{one.pointer}") for one in found]


def is_rfc3339(text: str) -> bool:
    """Whether it is a point in time as RFC 3339 writes it, with its offset from UTC."""
    if not _RFC3339.fullmatch(text):
        return False
    from datetime import datetime

    try:
        datetime.fromisoformat(text.upper())
    except ValueError:
        return False
    return True


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values: true is not 1, and 1.0 is not an integer."""
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is dict:
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if kind is list:
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def substitute(value: Any, bound: dict[str, Any]) -> Any:
    """Put `$name`, `$literal`, `$repeat` and `$bytes` into a command.

    Raises KeyError for an unbound name.
    """
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
    if "$bytes" in value:
        from base64 import b64encode

        return b64encode(b"".join(_part(part, bound) for part in value["$bytes"])).decode()
    return {key: substitute(item, bound) for key, item in value.items()}


def _part(part: Any, bound: dict[str, Any]) -> bytes:
    """The bytes of a part of `$bytes`."""
    if isinstance(part, dict) and "$hex" in part:
        return bytes.fromhex(part["$hex"])
    value = substitute(part, bound)
    line = not isinstance(value, str)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n" if line else value
    return text.encode("utf-8", "backslashreplace")


def _told(pattern: Any, bound: dict[str, Any]) -> Any:
    """A pattern for a report: bound names have become what they stand for."""
    if isinstance(pattern, str):
        return bound.get(pattern[1:], pattern) if pattern.startswith("$") else pattern
    if isinstance(pattern, list):
        return [_told(item, bound) for item in pattern]
    if not isinstance(pattern, dict) or not pattern.keys().isdisjoint(("$literal", "$repeat")):
        return pattern
    return {key: _told(item, bound) for key, item in pattern.items()}


def escape(key: str) -> str:
    """A member's name as a segment of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def resolve(value: Any, pointer: str) -> Any:
    """The value at a JSON pointer, or NOT_THERE."""
    for segment in pointer.split("/")[1:]:
        key = segment.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and (at := _place(key)) is not None and at < len(value):
            value = value[at]
        else:
            return NOT_THERE
    return value


def _place(key: str) -> int | None:
    """The place in a list that a segment of a pointer names; no list has one of ten digits."""
    return int(key) if key.isascii() and key.isdecimal() and len(key) < 10 else None


def _leads(path: str, pointer: str) -> int:
    """How many segments of the pointer a path of the blame table covers, or -1."""
    wanted, given = path.split("/")[1:], pointer.split("/")[1:]
    if len(wanted) > len(given):
        return -1
    leads = all(w in ("*", g) for w, g in zip(wanted, given, strict=False))
    return len(wanted) if leads else -1
