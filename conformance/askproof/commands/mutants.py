"""`askproof mutants`: the suite must kill every mutant and blame the rule that it breaks."""

from __future__ import annotations

import json
import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from askproof import power
from askproof.errors import UsageError
from askproof.mutants import mutants
from askproof.progress import Progress

if TYPE_CHECKING:
    import argparse

    from askproof.mutants import Mutant
    from askproof.power import Trial


def command(args: argparse.Namespace) -> int:
    """Try the mutants whose name or requirement fits; one that is not killed is a failure."""
    for glob in args.names:
        if not any(_fits(one, glob) for one in mutants().values()):
            raise UsageError(f"no mutant has the name or requirement {glob!r}")
    chosen = [
        name
        for name, one in mutants().items()
        if not args.names or any(_fits(one, glob) for glob in args.names)
    ]
    with Progress(sys.stderr, len(chosen)) as progress:
        trials = [progress.step(trial, trial.name) for trial in power.trials(chosen)]
    found = _found(trials)
    if args.json:
        print(json.dumps(found, indent=2))
    else:
        for trial in trials:
            if trial.outcome != power.KILLED or args.names:
                _print(trial)
        killed = sum(trial.outcome == power.KILLED for trial in trials)
        print(f"{killed} of {len(trials)} mutants killed, for {found['requirements']} requirements")
    return 0 if all(trial.outcome == power.KILLED for trial in trials) else 1


def _fits(mutant: Mutant, glob: str) -> bool:
    return fnmatchcase(mutant.name, glob) or mutant.requirement == glob


def _found(trials: list[Trial]) -> dict[str, Any]:
    known = mutants()
    return {
        "mutants": {
            trial.name: {
                "requirement": known[trial.name].requirement,
                "roles": [known[trial.name].role],
                "outcome": trial.outcome,
                "by": list(trial.by),
                "consequences": list(trial.consequences),
                "message": trial.message,
            }
            for trial in trials
        },
        "requirements": len({known[trial.name].requirement for trial in trials}),
        "killed": sum(trial.outcome == power.KILLED for trial in trials),
    }


def _print(trial: Trial) -> None:
    mutant = mutants()[trial.name]
    print(f"{trial.outcome.upper():<9} {trial.name} ({mutant.requirement}): {mutant.why}")
    if trial.message:
        print(f"          {trial.message}")
    for case in trial.by[:5]:
        print(f"          by {case}")
    if len(trial.by) > 5:
        print(f"          and {len(trial.by) - 5} more cases")
