"""What the specification demands, joined with what shows it: clauses, requirements, cases, mutants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askproof import case as cases
from askproof.mutants import mutants
from askproof.specification import catalogue, clauses

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from askproof.power import Trial


def coverage() -> dict[str, Any]:
    """Clauses with their requirements or the reason of their exclusion; requirements with the rest."""
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


def problems(found: dict[str, Any], trials: Collection[Trial] | None = None) -> Iterator[str]:
    """What is missing, a sentence each; with the trials of all mutants also the cases that kill none."""
    known = catalogue()
    for ident, clause in found["clauses"].items():
        if not clause.get("requirements") and not clause.get("excluded", "").strip():
            yield f"the clause {ident} is neither covered by a requirement nor excluded with a reason"
    for requirement in known.values():
        for clause in requirement.clauses:
            if clause not in found["clauses"]:
                yield f"{requirement.id} cites the clause {clause}, which there is not"
    for ident, entry in found["requirements"].items():
        if entry["roles"] == ["adapter"]:
            continue  # its cases are the adapters of the project's own tests, each with one fault
        if entry["level"] in ("must", "should") and not entry["cases"]:
            yield f"{ident} ({entry['level'].upper()}) is shown by no case"
        if entry["level"] == "must" and not entry["mutants"]:
            yield f"{ident} (MUST) has no mutant"
    for case in map(cases.load, cases.case_ids()):
        for ident in case.shows:
            if ident not in known:
                yield f"{case.id} cites {ident}, which there is not"
    if trials is not None:
        kills = {case for trial in trials for case in trial.failed}
        for case_id in cases.case_ids():
            if case_id not in kills:
                yield f"{case_id} kills no mutant"
