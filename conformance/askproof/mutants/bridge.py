"""Mutants of the reference bridge.

Those that take one expression stand in a table.
"""

from __future__ import annotations

import html
from dataclasses import replace
from math import inf
from typing import Any
from unicodedata import normalize

from askproof.mutants import breaks
from askproof.mutants.tables import after, before, put, table, unless
from askproof.schemas import is_valid
from askproof_reference import bridge_adapter
from askproof_reference.bridge import AskBridge, Form, Given, Offer
from askproof_reference.deferred import Deferred, Signal

CANCEL = {"kind": "cancel"}
LATE = {"error": "flow_not_found"}
EMPTY = {"kind": "answer", "mode": "submit", "answers": {}}


def members(**new: Any) -> Any:
    """The record gets other members."""
    return after(lambda record, *_: record | new)


def texts(change: Any) -> Any:
    """All that the human typed is changed."""

    def changed(given: Given, *_: Any) -> Given:
        notes = {at: change(note) for at, note in given.option_notes.items()}
        return Given(given.options, change(given.text), change(given.note), notes)

    return before(changed)


def values(pick: Any) -> Any:
    """Another value is sent for each option, by its question and position."""

    def changed(answer: Any, _: Any, asked: Any, given: Given) -> Any:
        chosen = [pick(asked, at) for at in given.options]
        return answer | ({"values": chosen} if chosen else {})

    return after(changed)


def views(change: Any) -> Any:
    """Each question is shown in another way."""
    return after(lambda view, *_: [one | change(**one) for one in view])


def choice(form: Form) -> dict[str, Any]:
    """A response that chooses the first option of every question."""
    return EMPTY | {"answers": {one.id: {"values": [one.values[0]]} for one in form.questions}}


def strange(kind: str) -> Any:
    """An event of a kind is ignored if it has members that the schema does not name."""

    def when(_: Any, handler: Any, __: Any, event: Any) -> bool:
        return handler.__name__ == f"on_{kind}" and not is_valid(f"events/{kind}", event)

    return unless(when)


def takes(kind: str, version: object) -> Any:
    """An event of a kind with another version is taken for one of version 1."""

    def changed(event: Any, _: Any, handler: Any, *__: Any) -> Any:
        taken = handler.__name__ == f"on_{kind}" and event.get("version") == version
        return event | {"version": 1} if taken else event

    return before(changed)


def silence(milliseconds: int, answer: Any) -> Any:
    """Something is answered when a form was left alone for so long."""

    def acted(_: Any, self: AskBridge) -> None:
        for form in self.forms.values():
            if self.clock() >= milliseconds and self.may_act(form):
                self.respond(form, answer(form))

    return acted


def has_failed(form: Form) -> bool:
    """Whether a form was opened, and that was rejected."""
    return form.opened is not None and form.opened.exception() is not None


TABLE: dict[str, Any] = {
    # Envelopes, text and identifiers
    "EVT-002 submit forgets-the-namespace": before(
        lambda response, self, form, _: put(form, namespace=self.namespaces[0]) and response
    ),
    "EVT-006 receive ignores-unknown-members-in-started": strange("started"),
    "EVT-006 EVT-221 receive ignores-unknown-members-in-completed": strange("completed"),
    "EVT-006 open leaves-requests-with-unknown-members": lambda original, *given: (
        original(*given)
        if is_valid("events/external-request", given[-1] | {"signal": {"handle": "signal"}})
        else Deferred()
    ),
    "EVT-006 on_submit_result takes-unknown-members-for-the-end": before(
        lambda result, *_: result if is_valid("events/submit-result", result) else result | LATE
    ),
    "EVT-007 submission names-itself": members(bridge="phone"),
    "EVT-007 provider describes-itself": members(description="A phone"),
    "EVT-007 EVT-208 answer sends-labels": after(
        lambda answer, *given: answer | {"labels": given[1].labels}
    ),
    "EVT-009 answer trims-texts": texts(str.strip),
    "EVT-009 answer normalizes-texts": texts(lambda text: normalize("NFC", text)),
    "EVT-009 answer joins-lines": texts(lambda text: " ".join(text.splitlines())),
    "EVT-009 answer drops-joiners": texts(lambda text: text.replace("\u200d", "")),
    "EVT-009 answer cuts-texts": texts(lambda text: text[:4096]),
    "EVT-009 answer unescapes-texts": texts(html.unescape),
    "EVT-009 answer takes-a-text-for-an-option": before(
        lambda given, _, asked, __: (
            Given([asked.labels.index(given.text)]) if given.text in asked.labels else given
        )
    ),
    "EVT-011 answers loses-proto": after(
        lambda answers, *_: {key: one for key, one in answers.items() if key != "__proto__"}
    ),
    "EVT-011 answer loses-notes-of-proto": before(
        lambda given, _, asked, __: (
            replace(given, option_notes={}) if "__proto__" in asked.values else given
        )
    ),
    "EVT-011 answers takes-ids-for-paths": after(
        lambda answers, *_: {key.split(".")[0]: one for key, one in answers.items()}
    ),
    "EVT-011 outcome reads-an-inherited-answer": before(
        lambda result, *_: (
            result | {"answers": {"constructor": {"labels": "?"}} | result["answers"]}
        )
    ),
    "EVT-013 key keeps-one-table": lambda _, __, ___, *ids: ids,
    "EVT-013 on_completed closes-in-all-namespaces": lambda original, self, _, event: [
        original(self, namespace, event) for namespace in self.namespaces
    ],
    # What is submitted
    "EVT-200 answer sends-labels-for-values": values(lambda asked, at: asked.labels[at]),
    "EVT-200 EVT-011 answer sends-positions": values(lambda asked, at: str(at)),
    "EVT-200 answer looks-labels-up": values(
        lambda asked, at: asked.values[asked.labels.index(asked.labels[at])]
    ),
    "EVT-200 answer sends-one-value": before(
        lambda given, *_: replace(given, options=[*given.options][:1])
    ),
    "EVT-201 form_of trims-flow-ids": before(
        lambda record, *_: record | {"flowId": record["flowId"].strip()}
    ),
    "EVT-201 on_started takes-constructor-for-known": unless(
        lambda *given: given[-1]["flowId"] == "constructor"
    ),
    "EVT-201 submission answers-the-first-flow": after(
        lambda record, self, *_: record | {"flowId": next(iter(self.forms.values())).flow_id}
    ),
    "EVT-202 submission counts-what-is-pending": after(
        lambda record, self, *_: record | {"requestId": str(len(self.pending))}
    ),
    "EVT-202 submission leaves-request-ids-empty": members(requestId=""),
    "EVT-203 submission writes-the-version-as-text": members(version="1"),
    "EVT-203 EVT-205 submit leaves-out-the-kind": before(
        lambda response, *_: {key: one for key, one in response.items() if one != "answer"}
    ),
    "EVT-204 tick answers-after-a-moment": silence(10, choice),
    "EVT-204 tick sends-nothing-after-an-hour": silence(3_600_000, lambda _: EMPTY),
    "EVT-204 on_started answers-as-recommended": after(
        lambda _, self, *given: (
            "'recommended': True" in str(given[1])
            and self.respond(self.form_of(*given), choice(self.form_of(*given)))
        )
    ),
    "EVT-204 EVT-208 answers preselects-options": after(
        lambda answers, _, form, __: choice(form)["answers"] | answers
    ),
    "EVT-205 submit says-nothing-of-a-cancel": unless(lambda *given: given[-1] == CANCEL),
    "EVT-205 submit answers-instead-of-a-cancel": before(
        lambda response, *_: EMPTY if response == CANCEL else response
    ),
    "EVT-205 response takes-an-option-for-a-cancel": after(
        lambda response, _, form, *__: CANCEL if "Cancel" in form.questions[0].labels else response
    ),
    "EVT-205 response takes-blanks-for-a-cancel": after(
        lambda response, *_: CANCEL if "'customText': '  '" in str(response) else response
    ),
    "EVT-205 line_changed cancels-when-the-line-is-lost": after(
        lambda _, self: [self.respond(form, CANCEL) for form in self.forms.values()]
    ),
    "EVT-206 press takes-approve-for-a-yes": lambda _, self, form, button: (
        button == "Approve" and self.respond(form, choice(form))
    ),
    "EVT-206 press takes-cancel-for-a-cancel": lambda _, self, form, button: (
        button == "Cancel" and self.respond(form, CANCEL)
    ),
    "EVT-206 press takes-a-label-for-an-option": lambda _, self, form, button: (
        button in form.questions[0].labels and self.respond(form, choice(form))
    ),
    "EVT-207 response never-elaborates": after(
        lambda response, *_: response | ({} if response == CANCEL else {"mode": "submit"})
    ),
    "EVT-207 response elaborates-on-a-note": after(
        lambda response, *_: response | ({"mode": "elaborate"} if "'note'" in str(response) else {})
    ),
    "EVT-208 answer sends-null": after(lambda answer, *_: answer and {"note": None, **answer}),
    "EVT-208 answer sends-no-values-beside-a-note": after(
        lambda answer, *_: ({"values": []} if "note" in answer else {}) | answer
    ),
    "EVT-208 answer sends-empty-option-notes": after(
        lambda answer, _, asked, given: (
            (
                {"optionNotes": {asked.values[at]: note for at, note in given.option_notes.items()}}
                if given.option_notes
                else {}
            )
            | answer
        )
    ),
    "EVT-208 EVT-204 answers sends-empty-entries": after(
        lambda answers, _, form, __: {one.id: {} for one in form.questions} | answers
    ),
    # What becomes of it
    "EVT-209 key relates-results-by-flow": lambda original, *given: original(*given[:3]),
    "EVT-209 key relates-results-by-request": lambda original, self, *given: (given[0], given[-1]),
    "EVT-210 tell takes-its-own-answer-for-late": lambda original, self, form, outcome, *rest: (
        original(self, form, "late" if form.closed and outcome == "accepted" else outcome, *rest)
    ),
    "EVT-210 on_completed waits-for-the-result": unless(
        lambda self, _, event: event["flowId"] in [form.flow_id for form in self.pending.values()]
    ),
    "EVT-210 tell forgets-what-was-accepted": after(
        lambda _, self, __, outcome, *___: outcome == "accepted" and put(self, forms={})
    ),
    "EVT-211 EVT-006 tell closes-on-a-refusal": after(
        lambda _, self, form, outcome, *__: outcome == "refused" and self.close(form)
    ),
    "EVT-211 EVT-006 may_act takes-one-answer": unless(
        lambda _, form: hasattr(form, "acted") or not put(form, acted=True)
    ),
    "EVT-211 on_submit_result takes-malformed-for-late": before(
        lambda result, *_: result | (LATE if result.get("error") == "invalid_request" else {})
    ),
    "EVT-212 tell hides-a-refusal": unless(lambda *given: given[2] == "refused"),
    "EVT-212 tell hides-that-it-was-late": unless(lambda *given: given[2] == "late"),
    "EVT-212 close forgets-what-it-sent": after(lambda _, self, __: put(self, pending={})),
    "EVT-213 outcome reads-a-cancelled-result": before(
        lambda result, *_: result | {"cancelled": result["cancelled"] and not result["answers"]}
    ),
    "EVT-214 EVT-011 outcome reads-nothing-as-a-yes": after(
        lambda read, *_: (read[0], read[1] and [row or ["Yes"] for row in read[1]])
    ),
    "EVT-214 EVT-221 outcome reads-a-note-as-a-yes": after(
        lambda read, _, __, result: ("answered", [["Yes"]]) if "'note'" in str(result) else read
    ),
    # The form
    "EVT-215 EVT-011 view shows-one-question": after(lambda view, *_: view[:1]),
    "EVT-215 view shows-labels-once": views(
        lambda options, **_: {"options": [*dict.fromkeys(options)]}
    ),
    "EVT-215 view sorts-options": views(
        lambda options, **_: {"options": sorted(options)} if len(options) > 2 else {}
    ),
    "EVT-215 view cuts-prompts": views(lambda prompt, **_: {"prompt": prompt[:200]}),
    "EVT-215 view reads-markup": views(lambda prompt, **_: {"prompt": prompt.replace("<b>", "")}),
    "EVT-215 on_started skips-previews": unless(lambda *given: "'preview'" in str(given[-1])),
    "EVT-215 show shows-a-flow-id-once": unless(
        lambda self, form: self.__dict__.setdefault(form.namespace + form.flow_id, form) is not form
    ),
    "EVT-216 receive takes-later-started": takes("started", 2),
    "EVT-216 receive takes-later-completed": takes("completed", 2),
    "EVT-216 receive takes-later-results": takes("submit_result", 2),
    "EVT-216 receive takes-the-version-as-text": takes("started", "1"),
    "EVT-216 receive needs-no-version": takes("started", None),
    "EVT-217 on_completed keeps-what-was-cancelled": unless(
        lambda *given: given[-1]["result"]["cancelled"] and not given[-1]["result"]["answers"]
    ),
    "EVT-217 on_completed closes-everything": after(
        lambda _, self, namespace, __: [
            self.close(form) for form in self.forms.values() if form.namespace == namespace
        ]
    ),
    "EVT-217 EVT-210 may_act submits-from-a-closed-form": after(
        lambda may, self, form: may or (form.closed and not form.opened and self.listening)
    ),
    "EVT-218 form_of shows-a-flow-again": after(lambda form, *_: put(form, shown=False)),
    "EVT-221 tell tells-no-end": unless(
        lambda _, __, outcome, *___: outcome in ("answered", "cancelled", "elaborated")
    ),
    "EVT-221 outcome calls-an-elaboration-an-answer": after(
        lambda read, *_: (read[0].replace("elaborated", "answered"), read[1])
    ),
    "EVT-219 reload hears-nothing-afterwards": lambda _, self: self.shutdown(),
    "EVT-219 reload lives-twice-afterwards": after(
        lambda _, self: type(self)(self.bus, self.namespaces, self.transport, self.clock)
    ),
    "EVT-220 EVT-248 shutdown keeps-its-forms": lambda _, self: [stop() for stop in self.listening],
    "EVT-220 EVT-219 shutdown goes-on-listening": lambda original, self: original(
        put(self, listening=[])
    ),
    "EVT-220 may_act submits-after-the-session": after(
        lambda may, self, _: may or not self.listening
    ),
    # The provider
    "EVT-240 on_external_ui offers-nothing-in-mode-json": unless(
        lambda *given: given[-1]["mode"] == "json"
    ),
    "EVT-240 on_external_ui offers-once": unless(
        lambda self, *_: hasattr(self, "offered") or not put(self, offered=True)
    ),
    "EVT-240 on_external_ui offers-nothing-after-a-failure": unless(
        lambda self, *_: any(map(has_failed, self.forms.values()))
    ),
    "EVT-242 receive offers-to-later-versions": takes("external_ui", 2),
    "EVT-243 provider offers-without-a-version": members(version=None),
    "EVT-243 provider offers-a-blank-id": members(id=" "),
    "EVT-243 provider offers-nothing-to-open": members(open=None),
    "EVT-244 respond submits-what-was-opened": lambda _, *given: AskBridge.submit(*given),
    "EVT-244 respond resolves-a-cancel-with-nothing": before(
        lambda response, _, form, __: None if form.opened and response == CANCEL else response
    ),
    "EVT-244 respond resolves-the-first": lambda original, self, form, response: original(
        self, next((one for one in self.forms.values() if one.opened), form), response
    ),
    "EVT-245 open_form ignores-the-signal": lambda original, self, offer, request, opened: original(
        self, offer, request | {"signal": Signal()}, opened
    ),
    "EVT-245 may_act answers-after-the-signal": after(
        lambda may, self, form: may or (form.closed and form.opened and self.listening)
    ),
    "EVT-245 open_form cancels-at-the-signal": after(
        lambda _, *given: given[2]["signal"].on_abort(lambda: given[3].set_result(CANCEL))
    ),
    "EVT-245 open_form ends-everything-at-a-signal": after(
        lambda _, self, __, request, ___: request["signal"].on_abort(self.shutdown)
    ),
    "EVT-246 EVT-248 fail leaves-it-pending": unless(lambda *_: True),
    "EVT-246 line_changed cancels-when-the-line-is-back": after(
        lambda _, self: (
            self.transport.connected
            and [self.submit(form, CANCEL) for form in self.forms.values() if has_failed(form)]
        )
    ),
    "EVT-248 fail leaves-it-pending-at-the-end": unless(lambda self, _: not self.listening),
    "EVT-248 fail cancels-what-was-opened-at-the-end": lambda original, self, form: (
        original(self, form)
        if self.listening or not form.opened
        else form.opened.set_result(CANCEL)
    ),
    "EVT-246 fail cancels-what-was-opened": lambda original, self, form: (
        form.opened.set_result(CANCEL) if form.opened and self.listening else original(self, form)
    ),
    "EVT-247 open opens-what-was-refused": lambda original, self, offer, request: original(
        self, Offer(offer.namespace), request
    ),
}

table("ask-bridge", AskBridge, "bridge", TABLE)


class Typed(str):
    """A text that counts as one, even where nothing is in it."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return True


@breaks("EVT-208", "ask-bridge", bridge_adapter, "_given", each={"texts": "text", "notes": "note"})
def sends_empty(original: Any, field: str, answer: Any) -> Any:
    """Sends {} that are empty, where their field was there."""
    return replace(original(answer), **({field: Typed(answer[field])} if field in answer else {}))


@breaks("EVT-241", "ask-bridge", AskBridge, "on_external_ui")
def offers_without_a_line(original: Any, self: AskBridge, namespace: str, connection: Any) -> None:
    """Offers a provider while its human cannot be reached."""
    offer = Offer(namespace)
    offer.taken = connection["connect"](self.provider(offer))


@breaks("EVT-243", "ask-bridge", AskBridge, "on_external_ui")
def connects_late(original: Any, self: AskBridge, *given: Any) -> None:
    """Connects its provider when the event has been delivered."""

    def later() -> None:
        del self.__dict__["tick"]
        original(self, *given)

    put(self, tick=later)


@breaks("EVT-247", "ask-bridge", AskBridge, "on_external_ui")
def shows_what_was_refused(original: Any, self: AskBridge, namespace: str, connection: Any) -> None:
    """Shows a form for a connection that took another provider."""
    if self.transport.connected and not connection["connect"](self.provider(Offer(namespace))):
        self.show(Form(namespace, connection["toolCallId"], (), inf))
