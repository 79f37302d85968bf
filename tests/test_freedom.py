"""What a host may do otherwise than the reference: the suite must not mind.

A suite that fails a host for a freedom which the specification leaves is as wrong as one that
misses a fault. Each freedom replaces one method or function of the reference, as the mutants do.
"""

import secrets
from collections.abc import Callable
from typing import Any

import pytest

from askproof import adapters, engine
from askproof.mutants import Mutant
from askproof.power import REFERENCES, cases_of, results_of
from askproof_reference import results, submits
from askproof_reference.adapter import NAMESPACE
from askproof_reference.host import AskHost
from askproof_reference.host_adapter import HostAdapter
from askproof_reference.submits import INVALID_ANSWER, INVALID_REQUEST, Refusal

FREEDOMS: dict[str, Mutant] = {}


def may(owner: Any, attribute: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function, which replaces something, as a freedom."""

    def register(replacement: Callable[..., Any]) -> Callable[..., Any]:
        name, why = replacement.__name__, replacement.__doc__ or ""
        FREEDOMS[name] = Mutant(
            name, "", "ask-host", why, owner, attribute, replacement, frozenset()
        )
        return replacement

    return register


def a_host(made: type[AskHost]) -> type[AskHost]:
    """Register a subclass of the host as a freedom."""

    def replacement(original: Any, self: Any) -> AskHost:
        return made(self._bus, NAMESPACE, lambda: self._now)

    replacement.__name__, replacement.__doc__ = made.__name__, made.__doc__
    may(HostAdapter, "_new_host")(replacement)
    return made


def is_unicode(value: Any) -> bool:
    try:
        str(value).encode()
    except UnicodeEncodeError:
        return False
    return True


# The order of events


@may(AskHost, "on_submit")
def answers_the_bridge_first(original: Any, self: Any, payload: Any) -> None:
    """Emits submit-result before completed."""
    emitted: list[tuple[str, Any]] = []
    self.emit = lambda *event: emitted.append(event)
    original(self, payload)
    del self.emit
    for event in sorted(emitted, key=lambda event: event[0] != "submit-result"):
        self.emit(*event)


@may(AskHost, "complete")
def completes_last(original: Any, self: Any, flow: Any, result: Any) -> None:
    """Aborts the signal and returns the result before it emits completed."""
    self.deactivate(flow)
    self.abort_signal(flow)
    self.return_result(flow, result)
    self.emit_completed(flow, result)


@a_host
class OpensFirst(AskHost):
    """Opens the form at the provider before it emits started."""

    def emit_started(self, flow: Any) -> None:
        if flow.ask.mode == "tui":
            super().emit_started(flow)

    def open_externally(self, flow: Any, open_form: Any) -> None:
        super().open_externally(flow, open_form)
        super().emit_started(flow)


# Ids, texts and inputs


@may(AskHost, "new_flow_id")
def names_flows_at_random(original: Any, self: Any, ask: Any) -> str:
    """Gives flows ids that say nothing."""
    return secrets.token_hex()


@may(AskHost, "new_flow_id")
def reuses_ids(original: Any, self: Any, ask: Any) -> str:
    """Gives a flow the id of one that has ended."""
    return next(name for name in map("flow-{}".format, range(9)) if name not in self.flows)


@may(submits, "check_answer")
def refuses_what_is_not_unicode(original: Any, response: Any, questions: Any) -> None:
    """Refuses an answer with a lone surrogate as an invalid answer."""
    submits.require(is_unicode(response), "the answer is not Unicode")
    original(response, questions)


@may(submits, "check_envelope")
def refuses_what_is_not_unicode_early(original: Any, payload: Any) -> None:
    """Refuses an answer with a lone surrogate as a malformed submit."""
    original(payload)
    submits.require(is_unicode(payload), "the submit is not Unicode", INVALID_REQUEST)


@may(results, "invalid")
def reports_faults_backwards(original: Any, faults: dict[str, str]) -> Any:
    """Reports the faults of an input in another order."""
    return original(dict(reversed(faults.items())))


@may(results, "invalid")
def describes_an_invalid_input(original: Any, faults: dict[str, str]) -> Any:
    """Writes title, mode and questions of an invalid input as it likes."""
    asked = {"id": "deploy", "label": "Q1", "prompt": "Deploy?", "type": "single"}
    return {**original(faults), "title": "?", "mode": "elaborate", "questions": [asked]}


# Submits and results


@may(submits, "check_mode")
def takes_a_mode_for_the_envelope(original: Any, response: Any) -> None:
    """Refuses a wrong mode as a malformed submit (EVT-077 is a SHOULD)."""
    try:
        original(response)
    except Refusal as refusal:
        raise Refusal(INVALID_REQUEST, str(refusal)) from None


@may(AskHost, "refuse")
def says_nothing_in_messages(original: Any, self: Any, payload: Any, refusal: Refusal) -> None:
    """Writes an empty message into a refusal."""
    original(self, payload, Refusal(refusal.code, ""))


@may(AskHost, "on_failure")
def ends_a_flow_that_it_cannot_answer(original: Any, self: Any, payload: Any, error: Any) -> None:
    """Ends a flow when the application of a submit fails."""
    flow = self.flows[payload["flowId"]]
    self.refuse(payload, Refusal(INVALID_ANSWER, str(error)))
    self.cancel(flow)


@may(results, "chosen_positions")
def keeps_the_order_of_the_answer(original: Any, question: Any, values: list[str]) -> list[int]:
    """Lists values as they were submitted (EVT-102 is a SHOULD)."""
    declared = [option["value"] for option in question["options"]]
    return [declared.index(value) for value in values]


@may(results, "kept_option_notes")
def keeps_notes_of_other_options(original: Any, question: Any, answer: Any) -> Any:
    """Keeps the notes of options that are not selected (EVT-106 is a SHOULD)."""
    return answer.option_notes


@may(AskHost, "cancel")
def keeps_answers_of_a_cancel(original: Any, self: Any, flow: Any) -> None:
    """Keeps in a cancelled result what was filled in (EVT-107 is a SHOULD)."""
    rows = results.rows(flow.form, flow.answers, "submit")
    self.complete(flow, {**results.cancelled(flow.form), "answers": rows})


@may(results, "cancelled")
def cancels_in_another_mode(original: Any, form: Any) -> Any:
    """Writes another mode into a cancelled result."""
    return {**original(form), "mode": "elaborate"}


@may(results, "rows")
def writes_rows_backwards(original: Any, *given: Any) -> Any:
    """Writes the rows of answers in another order: they are members of an object."""
    return dict(reversed(original(*given).items()))


@may(results, "elaboration")
def clarifies_in_its_own_words(original: Any, *given: Any) -> Any:
    """Says in its own words how to go on, and lists items backwards (EVT-128 is a SHOULD)."""
    made = original(*given)
    return {**made, "instruction": "Explain.", "items": made["items"][::-1]}


# The ends of a flow


@may(AskHost, "fail")
def completes_a_failure_as_cancelled(original: Any, self: Any, flow: Any, message: str) -> None:
    """Emits a cancelled completed after a failure of the external UI (EVT-054 is a SHOULD)."""
    self.emit_completed(flow, results.cancelled(flow.form))
    original(self, flow, "")


@may(AskHost, "dispose")
def fails_the_calls_of_a_session_that_ends(original: Any, self: Any, flow: Any) -> None:
    """Ends a call with an error when its session ends."""
    self.deactivate(flow)
    self.abort_signal(flow)
    if self.after_abort == "none":
        self.return_result(flow, results.cancelled(flow.form))
    else:
        flow.outcome.set_exception(RuntimeError("the session has ended"))


@may(AskHost, "end_session")
def leaves_the_calls_of_a_session_that_ends(original: Any, self: Any) -> None:
    """Never ends a call whose session has ended, and hears no submits any more."""
    for flow in list(self.flows.values()):
        self.deactivate(flow)
        self.abort_signal(flow)


@may(AskHost, "return_result")
def commands_have_no_call(original: Any, self: Any, flow: Any, result: Any) -> None:
    """Returns nothing to nobody for a form that no tool call has opened."""
    if flow.ask.source == "tool":
        original(self, flow, result)


@a_host
class SharesItsRecords(AskHost):
    """Emits the records that it works with, and no copies (EVT-058 is a SHOULD)."""

    def started(self, flow: Any) -> Any:
        return {**super().started(flow), "questions": flow.form.questions}

    def completed(self, flow: Any, result: Any) -> Any:
        return {**super().completed(flow, result), "result": result}


@pytest.mark.parametrize("name", FREEDOMS)
def test_a_host_may_do_otherwise(name: str) -> None:
    with FREEDOMS[name].applied() as reached:
        results = results_of(cases_of("ask-host"), "must")
        failed = [one for one in results if one.outcome != "passed"]
    assert reached
    assert [(one.case.id, one.step, one.blames, one.differences) for one in failed] == []


def test_a_host_may_say_nothing_after_an_abort() -> None:
    session = adapters.connect(REFERENCES[-1])
    session.initialize()
    outcomes = {one.case.id: one.outcome for one in engine.run(session, cases_of("ask-host"))}
    session.close()
    assert outcomes["events/ask-host/life/abort-without-completed"] == "passed"
    others = {case: outcome for case, outcome in outcomes.items() if outcome != "passed"}
    assert set(others.values()) == {"not-applicable"}
    assert all("abort" in case for case in others)
