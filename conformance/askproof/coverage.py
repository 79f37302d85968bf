"""What the specification demands, joined with what shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askproof import case as cases
from askproof.mutants import mutants
from askproof.specification import catalogue, clauses

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from askproof.power import Trial


def coverage() -> dict[str, Any]:
    """Join clauses and requirements with cases and mutants, as `coverage --json` prints."""
    known = catalogue()
    shown: dict[str, list[str]] = {ident: [] for ident in known}
    for case in map(cases.load, cases.case_ids()):
        for ident in case.shows:
            shown.setdefault(ident, []).append(case.id)
    return {
        "clauses": {
            ident: {"excluded": clause.excluded}
            if clause.excluded
            else {"requirements": [r.id for r in known.values() if ident in r.clauses]}
            for ident, clause in clauses().items()
        },
        "requirements": {
            ident: {
                "level": requirement.level,
                "roles": list(requirement.roles),
                "clauses": list(requirement.clauses),
                "cases": shown[ident],
                "mutants": [m.name for m in mutants().values() if m.requirement == ident],
            }
            for ident, requirement in known.items()
        },
    }


def problems(found: dict[str, Any], trials: Collection[Trial]) -> list[str]:
    """What is missing, a sentence each. `trials` are those of all mutants."""
    return [
        *_of_clauses(found["clauses"]),
        *_of_requirements(found["requirements"]),
        *_of_cases({case for trial in trials for case in trial.failed}),
    ]


def _of_clauses(table: dict[str, dict[str, Any]]) -> Iterator[str]:
    for ident, clause in table.items():
        if not clause.get("requirements") and not clause.get("excluded", "").strip():
            yield f"the clause {ident} is neither covered nor excluded with a reason"
    for requirement in catalogue().values():
        for ident in requirement.clauses:
            if "requirements" not in table.get(ident, {}):
                yield f"{requirement.id} cites the clause {ident}, which is excluded or unknown"


def _of_requirements(table: dict[str, dict[str, Any]]) -> Iterator[str]:
    for ident, entry in table.items():
        if entry["roles"] == ["adapter"]:
            continue  # its cases are the adapters of the project's own tests, each with one fault
        if entry["level"] != "may" and not entry["cases"]:
            yield f"{ident} ({entry['level'].upper()}) is shown by no case"
        if entry["level"] == "must" and not entry["mutants"]:
            yield f"{ident} (MUST) has no mutant"


def _of_cases(killers: set[str]) -> Iterator[str]:
    for case in map(cases.load, cases.case_ids()):
        for ident in case.shows:
            if ident not in catalogue():
                yield f"{case.id} cites {ident}, which there is not"
        if case.id not in killers:
            yield f"{case.id} kills no mutant"
