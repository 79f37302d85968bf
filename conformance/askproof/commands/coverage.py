"""`askproof coverage`: clauses, requirements, cases and mutants, joined."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from askproof import coverage, power
from askproof.mutants import mutants
from askproof.progress import Progress

if TYPE_CHECKING:
    import argparse


def command(args: argparse.Namespace) -> int:
    """Try every mutant, since a case must kill one; print the table and what is missing."""
    with Progress(sys.stderr, len(mutants())) as progress:
        trials = [progress.step(trial, trial.name) for trial in power.trials(list(mutants()))]
    found = coverage.coverage()
    missing = coverage.problems(found, trials)
    if args.json:
        print(json.dumps({**found, "problems": missing}, indent=2))
        return 1 if missing else 0
    for ident, entry in found["requirements"].items():
        cases, killers = len(entry["cases"]), len(entry["mutants"])
        clauses = ", ".join(entry["clauses"]) or "specification"
        print(f"{ident}  {entry['level']:<6}  {cases:>3} cases  {killers:>2} mutants  {clauses}")
    excluded = {key: one for key, one in found["clauses"].items() if "excluded" in one}
    for ident, clause in excluded.items():
        print(f"{ident} is excluded: {clause['excluded']}")
    covered = len(found["clauses"]) - len(excluded)
    print(f"\n{covered} clauses covered, {len(excluded)} excluded; {len(missing)} problems")
    for problem in missing:
        print(f"  {problem}")
    return 1 if missing else 0
