"""`askproof coverage`: clauses, requirements, cases and mutants, joined."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from askproof import case as cases
from askproof import coverage, power
from askproof.mutants import mutants
from askproof.progress import Progress
from askproof.specification import catalogue, clauses

if TYPE_CHECKING:
    import argparse


def command(args: argparse.Namespace) -> int:
    """Try every mutant, since a case must kill one; print the table and what is missing."""
    known = mutants()
    with Progress(sys.stderr, len(known)) as progress:
        trials = [progress.step(trial, trial.name) for trial in power.trials(list(known))]
    found = coverage.coverage(
        clauses().values(),
        catalogue().values(),
        [cases.load(ident) for ident in cases.case_ids()],
        known.values(),
        trials,
    )
    missing = coverage.problems(found)
    if args.json:
        print(json.dumps({**found, "problems": missing}, indent=2))
        return 1 if missing else 0
    for ident, entry in found["requirements"].items():
        counted = f"{len(entry['cases']):>3} cases  {len(entry['mutants']):>2} mutants"
        sources = ", ".join(entry["clauses"]) or "specification"
        print(f"{ident}  {entry['level']:<6}  {counted}  {sources}")
    excluded = {key: one for key, one in found["clauses"].items() if "excluded" in one}
    for ident, clause in excluded.items():
        print(f"{ident} is excluded: {clause['excluded']}")
    covered = len(found["clauses"]) - len(excluded)
    count = "1 problem" if len(missing) == 1 else f"{len(missing)} problems"
    print(f"\n{covered} clauses covered, {len(excluded)} excluded; {count}")
    for problem in missing:
        print(f"  {problem}")
    return 1 if missing else 0
