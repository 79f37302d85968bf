"""What the specification demands, joined with what shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askproof.power import KILLED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from askproof.case import Case
    from askproof.mutants import Mutant
    from askproof.power import Trial
    from askproof.specification import Clause, Requirement

Table = dict[str, dict[str, Any]]


def coverage(
    clauses: Iterable[Clause],
    requirements: Collection[Requirement],
    cases: Collection[Case],
    mutants: Collection[Mutant],
    trials: Collection[Trial],
) -> dict[str, Table]:
    """Join them all, as `coverage --json` prints; `trials` are those of all mutants."""
    return {
        "clauses": {
            clause.id: {"excluded": clause.excluded}
            if clause.excluded
            else {"requirements": [r.id for r in requirements if clause.id in r.clauses]}
            for clause in clauses
        },
        "requirements": {
            requirement.id: {
                "level": requirement.level,
                "roles": list(requirement.roles),
                "clauses": list(requirement.clauses),
                "cases": [case.id for case in cases if requirement.id in case.shows],
                "mutants": [one.name for one in mutants if one.requirement == requirement.id],
            }
            for requirement in requirements
        },
        "cases": {
            case.id: {
                "requirements": list(case.shows),
                "kills": [t.name for t in trials if t.outcome == KILLED and case.id in t.by],
            }
            for case in cases
        },
    }


def problems(found: dict[str, Table]) -> list[str]:
    """What is missing or wrong in what `coverage` has joined, a sentence each."""
    return [
        *_of_clauses(found["clauses"]),
        *_of_requirements(found["requirements"], found["clauses"]),
        *_of_cases(found["cases"], found["requirements"]),
    ]


def _of_clauses(clauses: Table) -> Iterator[str]:
    for ident, clause in clauses.items():
        if not clause.get("requirements") and not clause.get("excluded", "").strip():
            yield f"the clause {ident} is neither covered nor excluded with a reason"


def _of_requirements(requirements: Table, clauses: Table) -> Iterator[str]:
    for ident, entry in requirements.items():
        for clause in entry["clauses"]:
            if "requirements" not in clauses.get(clause, {}):
                yield f"{ident} cites the clause {clause}, which is excluded or unknown"
        if entry["roles"] == ["adapter"]:
            continue  # its cases are the adapters of the project's own tests, each with one fault
        if entry["level"] != "may" and not entry["cases"]:
            yield f"{ident} ({entry['level'].upper()}) is shown by no case"
        if entry["level"] == "must" and not entry["mutants"]:
            yield f"{ident} (MUST) has no mutant"


def _of_cases(cases: Table, requirements: Table) -> Iterator[str]:
    for ident, case in cases.items():
        for cited in case["requirements"]:
            if cited not in requirements:
                yield f"{ident} cites {cited}, which there is not"
        if not case["kills"]:
            yield f"{ident} kills no mutant"
