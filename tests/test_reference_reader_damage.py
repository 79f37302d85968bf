"""The reference reader and damaged files: what is untouched is read, and what is touched is said.

Journals are made at random, and then cut, flipped, inserted into, and glued together. What must be
said of each line that comes out of this is judged by code that shares nothing with the reader.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askproof import wire
from askproof_reference.journal_judgement import Decision
from askproof_reference.journal_reader import Diagnostic, Form, read_journal
from tests.damaged_journals import (
    BAD,
    EDITS,
    FORMS,
    LOSSES,
    MAKERS,
    STATUSES,
    Damage,
    Journal,
    Piece,
    claims_to_be_human,
    damages,
    journals,
    pieces,
    spelled,
    stripped,
    utf8,
)

Record = dict[str, Any]


def read(data: bytes, form: Form) -> dict[int, Decision | Diagnostic]:
    """What is found, by the number of the line; both may not be said of one."""
    with TemporaryDirectory() as folder:
        journal = Path(folder) / "journal.jsonl"
        journal.write_bytes(data)
        found = list(read_journal(journal, form))
    numbers = [one.line for one in found]
    assert numbers == sorted(set(numbers))
    return dict(zip(numbers, found, strict=True))


def said(found: Decision | Diagnostic | None) -> str:
    """The payload of a decision, `BAD`, or nothing."""
    if isinstance(found, Decision):
        return spelled(found.payload)
    return BAD if found else ""


# What a line means, in other words than those of the reference

TYPES = (
    *("session_init", "message", "custom", "custom_message", "decision"),
    *("compact_summary", "branch_summary", "child_run", "artifact"),
)


def meaning(line: bytes, form: Form) -> str:
    if not stripped(line):
        return ""
    try:
        match wire.decode(line), form:
            case {"kind": "session", "session": {}}, "store":
                return ""
            case {"kind": "entry", "entry": {"type": "decision", "payload": payload}}, "store":
                return of_payload(payload)
            case {"kind": "entry", "entry": {"type": "decision"}}, "store":
                return BAD
            case {"kind": "entry", "entry": {"type": type_}}, "store":
                return "" if type_ in TYPES else BAD
            case {"type": "custom", "customType": "decision", **rest}, "session":
                return of_payload(rest.get("data"))
            case {"type": str()}, "session":
                return ""
    except wire.WireError:
        pass
    return BAD


def of_payload(payload: Any) -> str:
    match payload:
        case {"status": status} if status in STATUSES:
            return spelled(payload)
    return BAD


def after(journal: Journal, *damage: Damage) -> tuple[dict[int, Piece], dict[int, Any]]:
    """The lines of a damaged file, and what the reader finds on them."""
    file = journal.marked()
    for one in damage:
        file = one.done_to(file)
    made = pieces(file)
    found = read(bytes(byte for byte, _ in file), journal.form)
    assert found.keys() <= made.keys()
    return made, found


# What holds


@given(journals())
def test_what_was_written_is_read(journal: Journal) -> None:
    made, found = after(journal)
    for number, (line, saying) in enumerate(journal.lines, 1):
        assert made[number].line == line
        assert said(found.get(number)) == saying == meaning(line, journal.form)


def test_whatever_is_damaged_each_line_is_read_for_what_it_is() -> None:
    """A record that is untouched to the letter, a bad line as bad, and no line because of another.

    A change may leave another valid line: then that is what is read, for nobody can tell.
    """
    seen = {"untouched": 0, "bad": 0, "another": 0}

    @settings(max_examples=300)
    @given(
        journals(), st.lists(damages(*EDITS * 3, *LOSSES, "hole", "cut"), min_size=1, max_size=3)
    )
    def run(journal: Journal, damage: list[Damage]) -> None:
        known = journal.known()
        made, found = after(journal, *damage)
        for number, piece in made.items():
            saying, untouched = said(found.get(number)), known.get(stripped(piece.line))
            assert saying == meaning(piece.line, journal.form)
            assert untouched in (None, saying)
            seen["untouched"] += untouched not in (None, "", BAD)
            seen["bad"] += untouched is None and saying == BAD
            seen["another"] += untouched is None and saying not in ("", BAD)

    run()
    assert all(seen.values()), seen


def test_what_is_lost_is_always_said() -> None:
    """A part of a line, or two lines in one, is never a line: no judgement of it is needed.

    An object ends with the brace that closes it, and with no quote open.
    """
    seen = {"untouched": 0, "bad": 0}

    @settings(max_examples=200)
    @given(journals(), damages(*LOSSES))
    def run(journal: Journal, damage: Damage) -> None:
        known = journal.known() | {b"": ""}
        made, found = after(journal, damage)
        for number, piece in made.items():
            expected = known.get(stripped(piece.line), BAD)
            assert said(found.get(number)) == expected
            seen["bad" if expected == BAD else "untouched"] += 1

    run()
    assert all(seen.values()), seen


def test_no_damage_makes_a_human_answer() -> None:
    """A record counts as human only if it said so before: answered, and by a human.

    This is so of edits and of holes within a line, neither of which can write both words; what is
    lost leaves no record at all. It cannot be so of every damage: the head of an older record and
    the tail of a human one may be one valid line, and an edit of the name `timedOut` may make an
    inconsistent claim a consistent one.
    """
    seen = {"human": 0, "changed": 0}

    @settings(max_examples=300)
    @given(journals(), damages(*EDITS, "hole"))
    def run(journal: Journal, damage: Damage) -> None:
        known, claimants = journal.known(), journal.claimants()
        made, found = after(journal, damage)
        for number, one in found.items():
            if isinstance(one, Decision):
                changed = stripped(made[number].line) not in known
                assert not one.is_human() or made[number].origins & claimants
                seen["human"] += one.is_human()
                seen["changed"] += changed

    run()
    assert all(seen.values()), seen


# Every small damage of a few records

PAST_CLAIMS: tuple[Record, ...] = (
    {"status": "answered", "answer": "human", "metadata": {"source": "ask"}},
    {"status": "answered", "answer": {"selectedOptions": ["No"]}, "question": '","answerSource":"'},
    {
        "status": "timed-out",
        "answer": {"selectedOptions": ["answered"]},
        "metadata": {"timedOut": True, "answerSource": "automatic"},
    },
    # One bit makes two of its keys the same.
    {
        "status": "cancelled",
        "metadata": {"timedOut": False, "answerSource": "none"},
        "x0": 0,
        "x1": 1,
    },
    {"status": "timed-out", "answer": "\\", "metadata": {"answerSource": "human"}},
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("decision", PAST_CLAIMS)
def test_every_small_damage_of_a_record_that_is_not_human(decision: Record, form: Form) -> None:
    assert not claims_to_be_human(decision)
    line = utf8(next(MAKERS[form](decision))[0])
    heads = [line[:at] for at in range(1, len(line))]
    tails = [line[at:] for at in range(1, len(line))]
    found = read(b"\n".join([*heads, *tails, *(head + line for head in heads), line + line]), form)
    assert {said(one) for one in found.values()} == {BAD}
    assert len(found) == 3 * len(heads) + 1
    edited = [line[:at] + line[at + 1 :] for at in range(len(line))]
    edited += [
        line[:at] + bytes([line[at] ^ 1 << bit]) + line[at + 1 :]
        for at in range(len(line))
        for bit in range(8)
    ]
    edited += [
        line[:at] + bytes([one]) + line[at:]
        for at in range(len(line))
        for one in b'"\\{}[]:,0 \0\xffx'
    ]
    whole = [one for one in edited if b"\n" not in one]
    found = read(b"\n".join(whole), form)
    for number, one in enumerate(whole, 1):
        assert said(found.get(number)) == meaning(one, form)
    decisions = [one for one in found.values() if isinstance(one, Decision)]
    assert len(decisions) > 100
    assert not any(one.is_human() for one in decisions)
