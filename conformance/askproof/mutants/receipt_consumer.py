"""Mutants of the reference consumer.

Those that take one expression stand in a table.
"""

from __future__ import annotations

import json
from typing import Any
from unicodedata import normalize

from askproof.mutants import breaks
from askproof.mutants.tables import after, before, put, table
from askproof_reference.consumer import Consumer
from askproof_reference.consumer_adapter import ConsumerAdapter


def kept(**change: Any) -> Any:
    """A receipt is kept with other members; each function gets what stands there."""

    def keep(original: Any, self: Consumer, receipt: Any, budget: int) -> None:
        changed = {name: change[name](receipt[name]) for name in change}
        original(self, receipt | changed, budget)

    return keep


def allowed(change: Any) -> Any:
    """Another budget is kept to."""
    return before(lambda budget, *_: change(budget))


def replacing(same: Any) -> Any:
    """What is kept takes the place of receipts that `same` finds alike."""

    def keep(original: Any, self: Consumer, receipt: Any, budget: int) -> None:
        self.evidence[:] = [one for one in self.evidence if not same(one, receipt)]
        original(self, receipt, budget)

    return keep


def believing(when: Any) -> Any:
    """What arrives is taken for the own subscription's where `when` says so."""
    return lambda original, self, source, receipt: original(
        self, self.active if when(self, receipt) else source, receipt
    )


def as_if_from_here(member: str, attribute: str) -> Any:
    """A member of a receipt is not compared with the active session."""
    return before(lambda receipt, self, _: receipt | {member: getattr(self.active, attribute)})


def live(where: Any) -> Any:
    """Another reading of the branch; it gets the anchor and the manager."""
    return lambda _, __, receipt: where(receipt["branchAnchor"], receipt["sessionManager"])


def costs(count: Any) -> Any:
    """Another way to count; it gets the prompt and the answer as compact JSON."""

    def cost(_: Any, __: Any, receipt: Any) -> int:
        answer = json.dumps(dict(receipt["answer"]), ensure_ascii=False, separators=(",", ":"))
        counted: int = count(receipt["prompt"], answer)
        return counted

    return cost


def drops(which: Any) -> Any:
    """Other pairs make room; `which` says what stays of the evidence, and gets the new one."""

    def keep(original: Any, self: Consumer, receipt: Any, budget: int) -> None:
        fits = self.cost(receipt) <= budget
        if fits and sum(map(self.cost, self.evidence)) + self.cost(receipt) > budget:
            self.evidence[:] = which(self.evidence, receipt)
        elif fits:
            self.evidence.append(receipt)

    return keep


def alike(change: Any) -> Any:
    """Texts agree that are the same after a change."""
    return lambda _, self, answer, text: change(text) in map(change, self.agreed_texts(answer))


def said(change: Any) -> Any:
    """An answer says something else; the function gets that, and the answer."""
    return after(lambda texts, _, answer: change(texts, answer))


def also(read: Any) -> Any:
    """Something else that a receipt of the question holds is taken for agreed."""
    return after(
        lambda agreed, self, call, index, text: (
            agreed
            or any(
                text in read(one)
                for one in self.evidence
                if self.is_live(one) and self.is_about(one, call, index)
            )
        )
    )


def of_options(name: str) -> Any:
    """A member of the options in the prompt of a receipt."""
    return lambda receipt: [one.get(name) for one in json.loads(receipt["prompt"])["options"]]


def utf8(text: str) -> int:
    """The bytes of a text."""
    return len(text.encode())


TABLE: dict[str, Any] = {
    # What is kept
    "RCP-060 RCP-064 keep keeps-nothing": lambda *_: None,
    "RCP-060 keep keeps-one-pair-a-call": replacing(
        lambda one, it: one["toolCallId"] == it["toolCallId"]
    ),
    "RCP-060 keep keeps-the-last-word-on-a-question": replacing(
        lambda one, it: one["question"] == it["question"] and one["answer"] != it["answer"]
    ),
    "RCP-060 keep writes-prompts-anew": kept(
        prompt=lambda it: json.dumps(json.loads(it), ensure_ascii=False, separators=(",", ":"))
    ),
    "RCP-060 keep normalizes-prompts": kept(prompt=lambda it: normalize("NFC", it)),
    "RCP-060 keep cuts-long-prompts": kept(prompt=lambda it: it[:16_384]),
    "RCP-060 keep trims-answers": kept(
        answer=lambda it: it | ({"text": it["text"].strip()} if "text" in it else {})
    ),
    "RCP-060 keep forgets-labels-beside-a-text": kept(
        answer=lambda it: it if it["kind"] != "custom" else {"kind": "custom", "text": it["text"]}
    ),
    "RCP-060 end_session ends-with-any-session": before(
        lambda manager, self, _: self.active.manager if self.active else manager
    ),
    "RCP-060 agreed drops-what-was-left": lambda original, self, *asked: (
        put(self, evidence=[one for one in self.evidence if self.is_live(one)])
        and original(self, *asked)
    ),
    # How it arrived
    "RCP-061 is_own believes-files": after(lambda own, _, source: own or source == "file"),
    "RCP-061 is_own believes-the-bus": after(lambda own, _, source: own or source == "bus"),
    "RCP-061 is_own believes-results": after(lambda own, _, it: own or it == "tool-result"),
    "RCP-061 is_own believes-transcripts": after(lambda own, _, it: own or it == "transcript"),
    "RCP-061 receive believes-what-says-so": believing(lambda _, it: it.get("trusted")),
    "RCP-061 receive takes-more-for-calls-that-it-knows": believing(
        lambda self, it: any(one["toolCallId"] == it["toolCallId"] for one in self.evidence)
    ),
    "RCP-061 receive takes-again-what-it-has-seen": believing(
        lambda self, it: (
            it["toolCallId"] in self.__dict__.setdefault("seen", [])
            or self.seen.append(it["toolCallId"])
        )
    ),
    # Where it is from
    "RCP-062 is_from_here takes-managers-that-look-alike": before(
        lambda receipt, self, _: (
            receipt | {"sessionManager": self.active.manager}
            if vars(receipt["sessionManager"]) == vars(self.active.manager)
            else receipt
        )
    ),
    "RCP-062 is_from_here takes-other-sessions": as_if_from_here("sessionId", "session_id"),
    "RCP-062 is_from_here takes-other-workspaces": as_if_from_here("cwd", "cwd"),
    "RCP-062 is_from_here takes-folders-inside": before(
        lambda it, self, _: (
            it | {"cwd": self.active.cwd} if it["cwd"].startswith(self.active.cwd) else it
        )
    ),
    # The branch
    "RCP-063 is_live forgets-the-branch": live(lambda *_: True),
    "RCP-063 is_live looks-at-every-branch": live(
        lambda anchor, manager: anchor is None or anchor in vars(manager)["_parents"]
    ),
    "RCP-063 is_live counts-only-at-the-leaf": live(
        lambda anchor, manager: anchor in (None, manager.get_leaf_id())
    ),
    "RCP-063 is_live never-counts-null": live(lambda anchor, it: anchor in it.get_branch()),
    "RCP-063 is_live counts-null-on-the-empty-branch": live(
        lambda anchor, it: anchor in (it.get_branch() or [None])
    ),
    "RCP-063 is_live searches-in-ids": live(
        lambda anchor, it: anchor is None or any(anchor in one for one in it.get_branch())
    ),
    "RCP-063 is_live reads-the-word-null": live(
        lambda anchor, it: anchor in (None, "null", *it.get_branch())
    ),
    # The budget
    "RCP-064 keep takes-one-byte-more": allowed(lambda budget: budget + 1),
    "RCP-064 keep takes-one-byte-less": allowed(lambda budget: budget - 1),
    "RCP-064 keep knows-no-budget": allowed(lambda _: 10**9),
    "RCP-064 keep cuts-prompts": lambda original, self, it, budget: (
        original(self, it | {"prompt": it["prompt"][: budget - 64]}, budget)
        if self.cost(it) > budget
        else original(self, it, budget)
    ),
    "RCP-064 keep cuts-answers": lambda original, self, it, budget: (
        original(
            self,
            it | {"answer": it["answer"] | {"text": it["answer"].get("text", "")[:99]}},
            budget,
        )
        if self.cost(it) > budget
        else original(self, it, budget)
    ),
    "RCP-064 keep drops-the-newest": drops(lambda old, _: old),
    "RCP-064 keep drops-everything": drops(lambda _, new: [new]),
    "RCP-064 keep drops-one-only": drops(lambda old, new: [*old[1:], new]),
    "RCP-064 keep drops-whole-calls": drops(
        lambda old, new: [one for one in [*old, new] if one["toolCallId"] != old[0]["toolCallId"]]
    ),
    "RCP-064 keep drops-for-what-does-not-fit": lambda original, self, *given: (
        original(self, *given)
        if self.cost(given[0]) <= given[1]
        else put(self, evidence=self.evidence[1:])
    ),
    "RCP-064 cost counts-characters": costs(lambda prompt, answer: len(prompt + answer)),
    "RCP-064 cost counts-prompts-only": costs(lambda prompt, _: utf8(prompt)),
    "RCP-064 cost counts-escapes-in-prompts": costs(
        lambda prompt, answer: len(prompt.encode("ascii", "backslashreplace")) + utf8(answer)
    ),
    "RCP-064 cost counts-escapes-in-answers": costs(
        lambda prompt, answer: utf8(prompt) + len(answer.encode("ascii", "backslashreplace"))
    ),
    # Modes and sessions
    "RCP-065 change_mode keeps-until-revoked": lambda original, self, mode: (
        original(self, mode) if mode is None else None
    ),
    "RCP-065 change_mode keeps-when-revoked": lambda original, self, mode: (
        self.end_subscription() if mode is None else original(self, mode)
    ),
    "RCP-066 replace_session keeps-what-it-has": lambda _, self: self.end_subscription(),
    "RCP-070 change_mode listens-after-it-was-revoked": lambda _, self, __: self.drop_evidence(),
    "RCP-070 replace_session listens-to-the-old-session-too": lambda _, self: self.drop_evidence(),
    "RCP-070 end_subscription tells-nobody": lambda _, self: put(self, active=None),
    # What was agreed to
    "RCP-067 agrees folds-case": alike(str.casefold),
    "RCP-067 agrees trims": alike(str.strip),
    "RCP-067 agrees normalizes": alike(lambda text: normalize("NFKC", text)),
    "RCP-067 agrees finds-parts": lambda _, self, answer, text: any(
        text in one for one in self.agreed_texts(answer)
    ),
    "RCP-067 agrees finds-the-beginning": lambda _, self, answer, text: any(
        text.startswith(one) for one in self.agreed_texts(answer)
    ),
    "RCP-067 RCP-071 agreed takes-what-was-offered": also(of_options("label")),
    "RCP-067 agreed_texts reads-the-first-label": said(lambda texts, _: texts[:1]),
    "RCP-067 agreed_texts joins-labels": said(lambda texts, _: [*texts, ", ".join(texts)]),
    "RCP-067 agreed_texts needs-the-list": said(
        lambda texts, answer: answer.get("selected", []) if answer["kind"] == "option" else texts
    ),
    "RCP-067 is_about confuses-questions": lambda original, self, receipt, call, _: original(
        self, receipt, call, receipt["questionIndex"]
    ),
    "RCP-067 is_about counts-from-one": lambda original, self, receipt, call, index: original(
        self, receipt, call, max(index - 1, 0)
    ),
    "RCP-067 is_about answers-for-new-calls": lambda original, self, receipt, call, index: original(
        self,
        receipt,
        call if any(one["toolCallId"] == call for one in self.evidence) else receipt["toolCallId"],
        index,
    ),
    "RCP-071 agreed_texts reads-labels-beside-a-text": said(
        lambda texts, answer: [
            *texts,
            *(answer.get("selected", ()) if answer["kind"] == "custom" else ()),
        ]
    ),
    # What was not the human's
    "RCP-068 agreed takes-the-question": also(lambda it: [it["question"]]),
    "RCP-068 agreed takes-parts-of-the-question": also(lambda it: it["question"].split(" ")),
    "RCP-068 agreed takes-descriptions": also(of_options("description")),
    "RCP-068 agreed takes-previews": also(of_options("preview")),
    "RCP-068 agreed takes-headers": also(lambda it: [json.loads(it["prompt"]).get("header")]),
    "RCP-068 agreed takes-answers-in-prompts": also(
        lambda it: json.loads(it["prompt"]).get("answer", {"selected": ()})["selected"]
    ),
    # What claims authority
    "RCP-069 agreed believes-approved": after(
        lambda agreed, self, *_: agreed or any(one.get("approved") for one in self.evidence)
    ),
    "RCP-069 agreed believes-denied": after(
        lambda agreed, self, *_: agreed and not any(one.get("denied") for one in self.evidence)
    ),
    "RCP-069 agreed believes-permissions": also(
        lambda it: it.get("permission", {"allow": ()})["allow"]
    ),
    "RCP-069 agreed_texts reads-another-list": said(
        lambda texts, answer: [*texts, *answer.get("agreed", ())]
    ),
    "RCP-069 agreed_texts reads-values": said(lambda texts, answer: [*texts, answer.get("value")]),
    "RCP-069 agreed_texts takes-any-kind": said(
        lambda texts, answer: [*texts, *([answer["text"]] if "text" in answer else [])]
    ),
}

table("receipt-consumer", Consumer, "consumer", TABLE)


@breaks("RCP-062", "receipt-consumer", ConsumerAdapter, "change_workspace")
def stays_in_another_workspace(original: Any, self: ConsumerAdapter, manager: Any) -> None:
    """Does not notice that its session has moved to another workspace."""


@breaks("RCP-064", "receipt-consumer", Consumer, "keep")
def never_counts_room_as_free(original: Any, self: Consumer, receipt: Any, budget: int) -> None:
    """Counts what was dropped for what is held."""
    spent = self.__dict__.setdefault("spent", 0) + self.cost(receipt)
    put(self, spent=spent)
    original(self, receipt, budget)
    if spent > 3 * budget // 2:
        del self.evidence[:-1]


@breaks("RCP-065", "receipt-consumer", Consumer, "change_mode")
def brings_back_what_the_mode_had(original: Any, self: Consumer, mode: str | None) -> None:
    """Puts evidence aside when the mode changes, and takes it up at the next change."""
    aside = self.__dict__.pop("aside", [])
    put(self, aside=[*self.evidence])
    original(self, mode)
    self.evidence += aside


@breaks("RCP-066", "receipt-consumer", Consumer, "end_session", "RCP-062")
def keeps_what_has_ended(original: Any, self: Consumer, manager: Any) -> None:
    """Keeps its evidence when the session ends."""
    held = [*self.evidence]
    original(self, manager)
    self.evidence += held if self.active is None else []


@breaks("RCP-066", "receipt-consumer", Consumer, "end_session")
def hides_what_has_ended(original: Any, self: Consumer, manager: Any) -> None:
    """Puts evidence aside when the session changes, and takes it up in that session."""
    aside = self.__dict__.pop("aside", [])
    put(self, aside=[*self.evidence])
    original(self, manager)
    self.evidence += [one for one in aside if one["sessionId"] == manager.session_id]


@breaks("RCP-066", "receipt-consumer", Consumer, "end_session", "RCP-062")
def takes_up_what_it_dropped(original: Any, self: Consumer, manager: Any) -> None:
    """Puts evidence aside when the session ends, and takes it up when it watches again."""
    aside = [*self.evidence]
    original(self, manager)

    def take_up() -> None:
        del vars(self)["replace_session"]
        self.evidence += aside

    if aside:
        put(self, replace_session=take_up)


@breaks("RCP-070", "receipt-consumer", Consumer, "end_session")
def listens_after_the_end(original: Any, self: Consumer, manager: Any) -> None:
    """Drops its evidence when the session ends, and goes on listening."""
    if self.active is not None and self.active.manager is manager:
        self.drop_evidence()


@breaks("RCP-067", "receipt-consumer", Consumer, "watch")
def takes_silence_for_consent(original: Any, self: Consumer, *given: Any) -> None:
    """Agrees to everything until the first answer arrives."""

    def receive(*arrived: Any) -> None:
        vars(self).pop("agreed", None)
        Consumer.receive(self, *arrived)

    if "receive" not in vars(self):
        put(self, agreed=lambda *_: True, receive=receive)
    original(self, *given)
