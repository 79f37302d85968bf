"""`askproof null-score`: how much of the suite passes for implementations of nothing."""

from __future__ import annotations

import json
from collections import Counter

from askproof import nulls

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def command(args: argparse.Namespace) -> int:
    """Print the score of each null adapter for each role; more than 5 % is a failure."""
    scores: dict[str, dict[str, float]] = {}
    passed: dict[str, list[str]] = {}
    for name in nulls.ADAPTERS:
        run: Counter[str] = Counter()
        good: Counter[str] = Counter()
        for role, case, ok in nulls.passes(name):
            run[role] += 1
            good[role] += ok
            if ok:
                passed.setdefault(name, []).append(case)
        scores[name] = {role: good[role] / run[role] for role in run}
    if args.json:
        print(json.dumps({"adapters": scores, "limit": nulls.LIMIT, "passed": passed}, indent=2))
    else:
        for name, roles in scores.items():
            told = "  ".join(f"{role} {score:6.1%}" for role, score in roles.items())
            print(f"{name:<28} {told}")
            for case in passed.get(name, []):
                print(f"    passes {case}")
        print(f"seed {nulls.WhateverTheSchemaAllows.seed}; at most {nulls.LIMIT:.0%} may pass")
    worst = max(score for roles in scores.values() for score in roles.values())
    return 0 if worst <= nulls.LIMIT else 1
