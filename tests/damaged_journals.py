"""Random journals full of hostile text, and what can happen to their bytes."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from hypothesis import strategies as st

from askproof_reference.journal_reader import Form

Record = dict[str, Any]

FORMS: tuple[Form, ...] = ("store", "session")
STATUSES = ("answered", "timed-out", "cancelled", "deferred")
BAD = "bad"  # what is said of a line that cannot be read


def stripped(line: bytes) -> bytes:
    """A line without its carriage return, and without blanks around it."""
    return line.removesuffix(b"\r").strip(b" \t")


def spelled(value: Any) -> str:
    """A value to the letter: True is not 1, nor 1.0, and members have an order."""
    return json.dumps(value)


# Journals

# Nothing here is one edit away from a name that matters: else a flip of a bit could make it one.
LINE_BREAKS = ("a\u2028b", "\u2029", "\u0085", "\f\v\x1c\x1d\x1e", "\n\r\n")
CHARACTERS = ("\x7f\u202e\u2066\ufeff", "\ud800", "a\udfff", "\0", "\U0001f600")
SYNTAX = ("\\", '\\"', '"', "\\u", "\\ud83d", "{", "}", "[{", '":"', '",', '","status":"x')
NAMES = ("__proto__", "constructor", "toString", '{"kind":"entry"}')
LONG = ("Deploy to production, with all of its migrations? \u2028 \u202eYes, but not before noon.",)
HOSTILE = LINE_BREAKS + CHARACTERS + SYNTAX + NAMES + LONG * 5
TEXTS = st.sampled_from(HOSTILE) | st.text(max_size=20)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
METADATA = st.fixed_dictionaries(
    {},
    optional={
        "source": st.just("ask"),
        "timedOut": st.booleans() | st.sampled_from(["false", None, 0, 1]),
        "answerSource": st.sampled_from(["human", "automatic", "none", "robot", None]),
        "__proto__": VALUES,
    },
)
ANSWERS = TEXTS | st.fixed_dictionaries({"selectedOptions": st.lists(TEXTS, max_size=2)})
OF_ANY_KIND = st.fixed_dictionaries(
    {"status": st.sampled_from(STATUSES)},
    optional={"question": TEXTS, "answer": ANSWERS | VALUES, "metadata": METADATA | VALUES},
)
HUMAN = st.fixed_dictionaries(
    {
        "decisionId": TEXTS,
        "status": st.just("answered"),
        "question": TEXTS,
        "answer": ANSWERS,
        "metadata": st.just({"source": "ask", "timedOut": False, "answerSource": "human"}),
    },
)
DECISIONS = st.builds(
    lambda extra, decision: extra | decision,
    st.dictionaries(TEXTS, VALUES, max_size=1),
    OF_ANY_KIND | HUMAN,
)


def lines_of_store(decision: Record) -> Iterator[tuple[Any, str]]:
    """Lines with the decision in them, and what must be said of each."""
    read_as = spelled(decision)
    yield {"kind": "entry", "entry": {"id": "e1", "type": "decision", "payload": decision}}, read_as
    yield {"kind": "entry", "entry": {"payload": decision, "type": "decision", "at": 1}}, read_as
    yield {"kind": "session", "session": decision}, ""
    yield {"kind": "entry", "entry": {"id": "e1", "type": "message", "payload": decision}}, ""
    yield {"kind": "entry", "entry": {"type": "todo_write", "payload": decision}}, BAD
    yield {"type": "custom", "customType": "decision", "data": decision}, BAD


def lines_of_session(decision: Record) -> Iterator[tuple[Any, str]]:
    """The same for the session file."""
    read_as = spelled(decision)
    yield {"type": "custom", "customType": "decision", "data": decision, "id": "1"}, read_as
    yield {"parentId": None, "data": decision, "customType": "decision", "type": "custom"}, read_as
    yield {"type": "session", "version": 3, "data": decision}, ""
    yield {"type": "custom", "customType": "other", "data": decision}, ""
    yield {"kind": "entry", "entry": {"type": "decision", "payload": decision}}, BAD


MAKERS = {"store": lines_of_store, "session": lines_of_session}


def utf8(value: Any) -> bytes:
    """A line with its text as it is; a lone surrogate leaves no choice but escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


Marked = list[tuple[int, int]]  # bytes, each with the position of the line that it comes from


class Journal(NamedTuple):
    """A file as it was written: its lines without their ends, and what must be said of each."""

    form: Form
    lines: list[tuple[bytes, str]]

    def marked(self) -> Marked:
        numbered = enumerate(line for line, _ in self.lines)
        return [(byte, position) for position, line in numbered for byte in line + b"\n"]

    def known(self) -> dict[bytes, str]:
        """What must be said of a line that is still what it was, but for what is around it."""
        return {stripped(line): saying for line, saying in self.lines}

    def claimants(self) -> set[int]:
        """The positions of the records that say that a human answered, consistent or not."""
        decisions = (
            (at, json.loads(it)) for at, (_, it) in enumerate(self.lines) if it not in ("", BAD)
        )
        return {at for at, decision in decisions if claims_to_be_human(decision)}


def claims_to_be_human(decision: Record) -> bool:
    match decision:
        case {"status": "answered", "metadata": {"answerSource": "human"}}:
            return True
    return False


AROUND = [(b"", b""), (b"", b"\r"), (b" \t", b" ")]


@st.composite
def journals(draw: st.DrawFn) -> Journal:
    form = draw(st.sampled_from(FORMS))
    lines: list[tuple[bytes, str]] = []
    for decision in draw(st.lists(DECISIONS, min_size=1, max_size=5)):
        makers = [*MAKERS[form](decision)]
        value, saying = draw(st.sampled_from([*makers[:2] * 3, *makers[2:]]))
        before, after = draw(st.sampled_from(AROUND))
        lines += [(b"", "")] * draw(st.integers(0, 1))
        lines.append((before + utf8(value) + after, saying))
    return Journal(form, lines)


# Damage

SYMBOLS = (
    b"\n",
    b"\r\n",
    b"\f",
    b"\0",
    b'"',
    b"\\",
    b"}",
    b"{",
    b",",
    b"\xe2\x80\xa8",
    b"\xed\xa0",
)
JUNK = st.binary(min_size=1, max_size=4) | st.sampled_from(SYMBOLS)
# An edit changes one byte, or inserts up to four. A loss leaves a part of one line, or joins two.
EDITS = ("flip", "drop", "insert")
LOSSES = ("torn-tail", "torn-head", "glued", "fused")
NOWHERE = -1
LF = 10


class Damage(NamedTuple):
    """Something that happens to the bytes of a file, at a position modulo its length."""

    kind: str
    at: int
    bit: int
    junk: bytes
    length: int

    def done_to(self, file: Marked) -> Marked:
        at = self.at % max(len(file), 1)
        before, after = file[:at], file[at:]
        # The rest of the line, with the line feed that ends it.
        rest = next((n for n, (byte, _) in enumerate(after, 1) if byte == LF), len(after))
        match self.kind:
            case "flip":
                changed = [(byte ^ 1 << self.bit, line) for byte, line in after[:1]]
                return before + changed + after[1:]
            case "drop":
                return before + after[1:]
            case "insert":
                return before + [(byte, NOWHERE) for byte in self.junk] + after
            case "torn-tail":
                return before
            case "torn-head":
                return after
            case "glued":  # the line feed is lost
                return before + after[: rest - 1] + after[rest:]
            case "fused":  # what was appended to a torn line
                return before + after[rest:]
            case "hole":  # within one line
                return before + after[min(self.length, rest - 1) :]
            case _:  # cut, wherever that ends
                return before + after[self.length :]


def damages(*kinds: str) -> st.SearchStrategy[Damage]:
    at, bit, length = st.integers(0, 10**5), st.integers(0, 7), st.integers(2, 80)
    return st.builds(Damage, st.sampled_from(kinds), at, bit, JUNK, length)


class Piece(NamedTuple):
    """A line of a damaged file, and of which lines it is made."""

    line: bytes
    origins: frozenset[int]


def pieces(file: Marked) -> dict[int, Piece]:
    """What stands between line feeds, by its number."""
    runs: list[Marked] = [[]]
    for byte, origin in file:
        if byte == LF:
            runs.append([])
        else:
            runs[-1].append((byte, origin))
    made = (Piece(bytes(b for b, _ in run), frozenset(o for _, o in run)) for run in runs)
    return dict(enumerate(made, 1))
