"""The power of the suite: which mutants it kills, and whether it blames the right rules.

A mutant is killed when a case fails and blames the rule that it breaks. What other rules are blamed
must be exactly the consequences that the mutant lists. A crash is never a kill.
"""

from __future__ import annotations

import signal
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from askproof import adapters, engine
from askproof import case as cases
from askproof.carriers import InProcess
from askproof.errors import AskproofError, InternalError
from askproof.mutants import mutants
from askproof.session import Session

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from askproof.case import Case
    from askproof.engine import CaseResult
    from askproof.mutants import Mutant

# The variants of the reference: what does not apply to the first is for the next.
REFERENCES = ("reference", "python:askproof_reference.adapter:OtherVariants")
KILLED, SURVIVED, ERROR = "killed", "survived", "error"
_PATIENCE = 300  # seconds; a mutant that hangs in every case takes less than half of it


@dataclass(frozen=True)
class Trial:
    """What became of a mutant.

    Attributes:
        name: of the mutant.
        outcome: `killed`, `survived` or `error`.
        by: the cases that failed and blamed the rule that it breaks.
        consequences: the other rules that were blamed.
        message: what is wrong, if it is not killed.
    """

    name: str
    outcome: str
    by: tuple[str, ...]
    consequences: tuple[str, ...]
    message: str = ""


def trials(chosen: Collection[str]) -> Iterator[Trial]:
    """Try mutants by name, in their order, in as many processes as there are processors.

    Raises InternalError if one never ends, or takes its process with it.
    """
    from multiprocessing import TimeoutError as NeverError
    from multiprocessing import get_context

    with get_context("spawn").Pool(initializer=_leave_interrupts) as pool:
        done = pool.imap(attempt, chosen)
        for name in chosen:
            try:
                yield done.next(_PATIENCE)
            except NeverError:
                raise InternalError(f"no word of the mutant {name} in {_PATIENCE} s") from None


def _leave_interrupts() -> None:
    """Leave an interrupt from the keyboard to the process that has started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def attempt(name: str) -> Trial:
    """Run against a mutant every case of its role that reaches what it replaces.

    The others cannot tell it from the reference, which does the same at every run.
    """
    mutant = mutants()[name]
    blamed: dict[str, tuple[str, ...]] = {}
    crashed: list[str] = []
    try:
        reaching = reach(mutant.role).get((mutant.owner, mutant.attribute), ())
        with mutant.applied() as reached:
            for result in results_of(reaching, "may"):
                if result.outcome == "failed":
                    blamed[result.case.id] = result.blames
                elif result.outcome != "passed":
                    crashed.append(f"{result.case.id}: {result.message}")
    except AskproofError as error:
        return Trial(name, ERROR, (), (), str(error))
    by = tuple(case for case, ids in blamed.items() if mutant.requirement in ids)
    others = {ident for ids in blamed.values() for ident in ids} - {mutant.requirement}
    outcome, message = _judged(mutant, reached, by, others, crashed)
    return Trial(name, outcome, by, tuple(sorted(others)), message)


def reach(role: str) -> dict[tuple[Any, str], tuple[Case, ...]]:
    """The cases of a role that reach each place, an owner and an attribute, where mutants are."""
    of_role = [one for one in mutants().values() if one.role == role]
    places = {(one.owner, one.attribute) for one in of_role if one.attribute in vars(one.owner)}
    return _reach(role, frozenset(places), tuple(case.id for case in cases_of(role)))


@cache
def _reach(
    role: str, places: frozenset[tuple[Any, str]], _ids: tuple[str, ...]
) -> dict[tuple[Any, str], tuple[Case, ...]]:
    reached: set[tuple[Any, str]] = set()
    found: dict[tuple[Any, str], tuple[Case, ...]] = {}
    with ExitStack() as watched:
        for owner, attribute in places:
            watched.enter_context(_watched(owner, attribute, reached))
        for case in cases_of(role):
            reached.clear()
            for _ in results_of([case], "may"):
                found |= {place: (*found.get(place, ()), case) for place in reached}
    return found


@contextmanager
def _watched(owner: Any, attribute: str, reached: set[tuple[Any, str]]) -> Iterator[None]:
    """Note when a function of the reference is called."""
    original = vars(owner)[attribute]

    def noted(*args: Any, **named: Any) -> Any:
        reached.add((owner, attribute))
        return original(*args, **named)

    setattr(owner, attribute, noted)
    try:
        yield
    finally:
        setattr(owner, attribute, original)


def results_of(chosen: Iterable[Case], level: str) -> Iterator[CaseResult]:
    """Run cases with the reference, each in the variant that it needs."""
    left = [*chosen]
    for adapter in REFERENCES:
        # In this process whichever it is: a mutant is nowhere else.
        session = Session(InProcess(adapters.in_process(adapter)), checks=False)
        session.initialize()
        results = list(engine.run(session, left, level))
        session.close()
        left = [result.case for result in results if result.outcome == "not-applicable"]
        yield from (result for result in results if result.outcome != "not-applicable")


@cache
def cases_of(role: str) -> tuple[Case, ...]:
    """The fixed cases of a role; reading them takes a quarter of the time that a mutant takes."""
    return tuple(cases.load(one) for one in cases.case_ids() if one.split("/")[1] == role)


def _judged(
    mutant: Mutant,
    reached: Collection[Any],
    by: Collection[str],
    others: set[str],
    crashed: list[str],
) -> tuple[str, str]:
    """Its outcome, and what is wrong with it."""
    if not reached:
        return ERROR, "it changes nothing: no case reaches what it replaces"
    if crashed:
        return ERROR, f"it crashes, which is no kill: {crashed[0]}"
    if not by:
        return SURVIVED, f"no case blames {mutant.requirement}"
    unlisted = sorted(others - mutant.consequences)
    missing = sorted(mutant.consequences - others)
    if unlisted or missing:
        told = [f"unlisted consequences: {', '.join(unlisted)}"] * bool(unlisted)
        told += [f"listed, but not seen: {', '.join(missing)}"] * bool(missing)
        return ERROR, "; ".join(told)
    return KILLED, ""
