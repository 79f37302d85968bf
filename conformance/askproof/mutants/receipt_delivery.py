"""Mutants of the receipt issuer: when it delivers, and for which selections."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from askproof.mutants import breaks, families
from askproof_reference import receipts
from askproof_reference.issuer import Issuer
from askproof_reference.manager_adapter import ManagerAdapter
from askproof_reference.managers import UNDEFINED
from askproof_reference.receipts import Row

if TYPE_CHECKING:
    from askproof_reference.issuer import Capture, Rows, ToolCall
    from askproof_reference.issuer_adapter import IssuerAdapter
    from askproof_reference.receipts import Question

ROLE = "receipt-issuer"


# Delivery


@families(
    ROLE,
    Issuer,
    "receipts",
    RCP_030_005_039={
        "the-last-one-first": lambda made: made[::-1],
        "only-the-first-one": lambda made: made[:1],
        "what-was-chosen-from-many-last": lambda made: sorted(
            made, key=lambda one: one["answer"]["kind"] == "multi"
        ),
    },
)
def makes(original: Any, change: Any, self: Issuer, capture: Capture, rows: Any) -> list[Any]:
    """Delivers {}."""
    changed: list[Any] = change(original(self, capture, rows))
    return changed


@breaks("RCP-030", ROLE, Issuer, "subscribers", "RCP-005")
def tells_the_first_only(original: Any, self: Issuer, capture: Capture) -> Any:
    """Delivers to the first subscriber and to no other."""
    return original(self, capture)[:1]


@breaks("RCP-030", ROLE, ManagerAdapter, "do_advance")
def takes_silence_for_the_first_label(
    original: Any, self: IssuerAdapter, arguments: dict[str, Any]
) -> None:
    """Chooses the first label when nobody has answered for a while."""
    for capture in self._captures.values():
        self._issuer.answer(capture, [Row((capture.questions[0].labels[0],))])


@breaks("RCP-031", ROLE, Issuer, "claim")
def delivers_again(original: Any, self: Issuer, capture: Capture) -> bool:
    """Delivers whenever the UI returns, unless the human has cancelled."""
    first = original(self, capture)
    return first or not (capture.outcome.done() and capture.outcome.result()["cancelled"])


def sure(question: Question) -> Row:
    """The row of somebody who takes the first label."""
    return Row((question.labels[0],))


@breaks("RCP-032", ROLE, Issuer, "cancel")
def lets_a_form_be_answered_after_a_cancel(original: Any, self: Issuer, capture: Capture) -> None:
    """Ends the call after a cancel, and still takes an answer."""
    self.end(capture, None)


@breaks("RCP-032", ROLE, Issuer, "cancel")
def takes_a_cancel_for_an_answer(original: Any, self: Issuer, capture: Capture) -> None:
    """Delivers the last label for every question after a cancel."""
    self.close(capture, [Row((question.labels[-1],)) for question in capture.questions])


@breaks("RCP-032", ROLE, Issuer, "given_rows")
def delivers_a_part(original: Any, self: Issuer, capture: Capture, rows: Rows | None) -> Any:
    """Delivers the answers that there are."""
    return [(at, row) for at, row in enumerate(rows or ()) if row is not None]


@breaks("RCP-032", ROLE, Issuer, "given_rows")
def forgets_the_end(original: Any, self: Issuer, capture: Capture, rows: Rows | None) -> Any:
    """Delivers what there is where rows are missing at the end."""
    given = [(at, row) for at, row in enumerate(rows or ()) if row is not None]
    return given if [at for at, _ in given] == list(range(len(given))) else []


@breaks("RCP-033", ROLE, Issuer, "is_aborted")
def forgets_that_it_was_aborted(original: Any, self: Issuer, call: ToolCall) -> bool:
    """Delivers what the UI returns after an abort."""
    return False


@breaks("RCP-034", ROLE, Issuer, "is_same_session", "RCP-001")
def goes_on_in_the_next_session(original: Any, self: Issuer, capture: Capture) -> bool:
    """Delivers to the subscribers of a session that has been replaced."""
    if not original(self, capture):
        self.subscriptions += [one for one in capture.subscriptions if not self.is_registered(one)]
    return True


@families(
    ROLE,
    Issuer,
    "is_same_workspace",
    RCP_034={
        "whatever-it-is": lambda _, __: True,
        "of-another-spelling": lambda one, other: (
            posixpath.normpath(one) == posixpath.normpath(other)
        ),
    },
)
def takes_the_workspace(original: Any, same: Any, self: Issuer, capture: Capture) -> bool:
    """Takes the workspace for the same {}."""
    return bool(same(capture.call.manager.cwd, capture.cwd))


@families(
    ROLE,
    Issuer,
    "is_same_leaf",
    RCP_035={
        "that-has-moved": lambda then, now: isinstance(now, str) and isinstance(then, str),
        "that-has-become-null": lambda then, now: now is None and isinstance(then, str),
        "that-was-null": lambda then, now: then is None and isinstance(now, str),
    },
    RCP_036_035={
        "that-is-hidden-now": lambda then, now: now is UNDEFINED and then is not UNDEFINED
    },
    RCP_036={
        "that-was-null-and-is-hidden": lambda then, now: then is None and now is UNDEFINED,
    },
)
def goes_on_with_a_leaf(original: Any, too: Any, self: Issuer, capture: Capture) -> bool:
    """Delivers with a leaf {}."""
    return original(self, capture) or bool(too(capture.leaf, self.leaf(capture.call.manager)))


@breaks("RCP-035", ROLE, Issuer, "is_same_leaf")
def is_content_with_the_branch(original: Any, self: Issuer, capture: Capture) -> bool:
    """Delivers as long as the anchor lies on the live branch."""
    manager: Any = capture.call.manager
    known = self.is_known_leaf(self.leaf(manager))
    return original(self, capture) or (known and capture.leaf in manager.get_branch())


@breaks("RCP-036", ROLE, Issuer, "is_same_leaf")
def looks_for_the_leaf_later(original: Any, self: Issuer, capture: Capture) -> bool:
    """Takes the leaf of the delivery where there was none at the capture."""
    if capture.leaf is UNDEFINED:
        capture.leaf = self.leaf(capture.call.manager)
    return bool(original(self, capture))


def why_hidden(manager: Any) -> str:
    """Why the leaf of a manager cannot be told, or nothing."""
    if manager.get_leaf_id is None:
        return "missing"
    try:
        return "undefined" if manager.get_leaf_id() is UNDEFINED else ""
    except RuntimeError:
        return "throws"


@families(
    ROLE,
    Issuer,
    "leaf",
    RCP_036={"missing": "missing", "throws": "throws"},
    RCP_036_035={"undefined": "undefined"},
)
def takes_the_last_leaf_where_it_is(original: Any, why: str, self: Issuer, manager: Any) -> Any:
    """Takes the leaf that it knew before, or null, where the method is {}."""
    known = vars(self).setdefault("known", {})
    if why_hidden(manager) != why:
        known[manager] = original(self, manager)
    return known.get(manager)


@breaks("RCP-036", ROLE, Issuer, "is_known_leaf")
def takes_no_leaf_for_one(original: Any, self: Issuer, leaf: Any) -> bool:
    """Delivers with an anchor that is nothing, if it is still nothing."""
    return True


@breaks("RCP-011", ROLE, Issuer, "is_known_leaf", "RCP-030")
def takes_null_for_no_leaf(original: Any, self: Issuer, leaf: Any) -> bool:
    """Delivers nothing on an empty branch."""
    return isinstance(leaf, str)


# Selections


def read_as(change: Any) -> Any:
    """What reads every label of a row as another."""
    return lambda question, row: row._replace(
        labels=tuple(change(label, question) for label in row.labels)
    )


def known_only(question: Question, row: Row) -> Row:
    """A row without the labels that were not offered, if any is left."""
    known = tuple(label for label in row.labels if label in question.labels)
    return row._replace(labels=known) if known else row


@families(
    ROLE,
    Issuer,
    "valid_rows",
    RCP_037={
        "a-trimmed-label": read_as(lambda label, _: label.strip() if label == "Yes " else label),
        "a-value-as-its-label": read_as(
            lambda label, question: question.labels[0] if label == "opaque-1" else label
        ),
        "a-label-twice-as-once": lambda _, row: row._replace(
            labels=tuple(dict.fromkeys(row.labels))
        ),
        "unknown-labels-as-none": known_only,
        "two-labels-as-the-first": lambda question, row: (
            row if question.multi_select else row._replace(labels=row.labels[:1])
        ),
        "nothing-as-the-first-label": lambda question, row: (
            row if row.labels or row.text or question.multi_select else sure(question)
        ),
        "a-label-beside-text-as-the-answer": lambda question, row: (
            row if question.multi_select or not row.labels else row._replace(text=None)
        ),
        "an-empty-text-as-the-first-label": lambda question, row: (
            sure(question) if row.text == "" else row
        ),
    },
)
def reads(
    original: Any, read: Any, self: Issuer, capture: Capture, rows: list[tuple[int, Row]]
) -> Any:
    """Reads {}."""
    changed = [(at, read(self.question(capture, at), row)) for at, row in rows]
    return original(self, capture, changed)


@breaks("RCP-037", ROLE, Issuer, "valid_rows")
def offers_what_others_offer(
    original: Any, self: Issuer, capture: Capture, rows: list[tuple[int, Row]]
) -> Any:
    """Takes a label that another question offered."""
    offered = {label for question in capture.questions for label in question.labels}
    single = all(row.labels and {*row.labels} <= offered for _, row in rows)
    return rows if single and len(rows) > 1 else original(self, capture, rows)


@families(
    ROLE,
    receipts,
    "are_offered",
    RCP_030={
        "a-label-that-is-offered-twice": lambda question, row: any(
            question.labels.count(label) > 1 for label in row.labels
        )
    },
)
@families(
    ROLE,
    receipts,
    "is_one_answer",
    RCP_030={"text-for-many": lambda question, row: question.multi_select and not row.labels},
)
def takes_nothing_of(original: Any, wrong: Any, question: Question, row: Row) -> bool:
    """Delivers nothing for {}."""
    return original(question, row) and not wrong(question, row)


@families(
    ROLE,
    receipts,
    "are_offered",
    RCP_037_038_015={"whatever-is-returned": lambda question, row: not question.multi_select},
)
@families(
    ROLE,
    receipts,
    "is_one_answer",
    RCP_037={"nothing-for-many": lambda question, row: question.multi_select},
)
@families(
    ROLE,
    receipts,
    "is_fit_text",
    RCP_037_015={"text-where-none-is-allowed": lambda question, row: not question.custom_text},
    RCP_037={
        "blank-text": lambda question, row: bool(row.text) and question.custom_text,
    },
)
def takes(original: Any, too: Any, question: Question, row: Row) -> bool:
    """Takes {} for a valid answer."""
    return original(question, row) or bool(too(question, row))


@families(
    ROLE,
    Issuer,
    "valid_rows",
    RCP_038_037={"all-that-are-valid": lambda rows, valid: [r for r in rows if r in valid]},
    RCP_038={
        "those-before-the-first-wrong-one": lambda rows, valid: rows[
            : next((at for at, row in enumerate(rows) if row not in valid), len(rows))
        ]
    },
)
def delivers(
    original: Any, choose: Any, self: Issuer, capture: Capture, rows: list[tuple[int, Row]]
) -> Any:
    """Delivers {}."""
    valid = [(at, row) for at, row in rows if original(self, capture, [(at, row)])]
    return choose(rows, valid)


# A pair of reasons shows two rules, so that to fail on one of them blames the other too.
@families(
    ROLE,
    Issuer,
    "close",
    RCP_001_002_032_033_034_035_036_037_040={"somebody-came-late": "late"},
    RCP_002_001_032_033_034_035_036_037_040={"somebody-subscribed-elsewhere": "elsewhere"},
    RCP_032_033={"the-human-cancelled": "cancelled"},
    RCP_033_032_034={"it-was-aborted": "aborted"},
    RCP_034_032_033_035={"the-place-has-changed": "place"},
    RCP_035_032_033_034_036={"the-leaf-has-moved": "moved"},
    RCP_036_032_033_034_035_037={"the-leaf-is-hidden": "hidden"},
    RCP_037_032_033_034_035_036_040={"the-selection-is-not-valid": "invalid"},
    RCP_040_002_032_033_034_035_036_037={"nobody-is-there": "nobody"},
)
def makes_a_right_of_two_wrongs_if(
    original: Any, wrong: str, self: Issuer, capture: Capture, rows: Rows | None
) -> None:
    """Delivers though {}, where another reason speaks against it too."""
    manager: Any = capture.call.manager
    branch = manager.get_branch()
    given = [(at, row) for at, row in enumerate(rows or ()) if row is not None]
    here = {
        "cancelled": rows is None or None in rows,
        "aborted": self.is_aborted(capture.call),
        "place": not (self.is_same_session(capture) and self.is_same_workspace(capture)),
        "moved": capture.leaf != (branch[-1] if branch else None),
        "hidden": not self.is_known_leaf(self.leaf(manager)),
        "invalid": not all(receipts.is_valid(self.question(capture, at), row) for at, row in given),
        "nobody": not self.asks_a_human(capture.call),
    }
    for one in dict.fromkeys([*capture.subscriptions, *self.subscriptions]):
        reasons = here | {
            "late": one not in capture.subscriptions or not self.is_registered(one),
            "elsewhere": not self.is_same_manager(one.manager, manager),
        }
        if reasons[wrong] and sum(reasons.values()) > 1:
            row = sure(self.question(capture, 0))
            self.hand_over(one, receipts.freeze(self.receipt(capture, 0, row)))
    original(self, capture, rows)
