"""`askproof explain ID`: a requirement with its reasons and cases, or a case with its steps."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from askproof import case as cases
from askproof.selection import known
from askproof.specification import Requirement, catalogue

if TYPE_CHECKING:
    import argparse

    from askproof.case import Case


def command(args: argparse.Namespace) -> int:
    """Print it."""
    names = [*catalogue(), *cases.case_ids()]
    known(args.id, names, "requirement or case", "askproof list requirements")
    if args.id in catalogue():
        _requirement(catalogue()[args.id])
    else:
        _case(cases.load(args.id))
    return 0


def _requirement(requirement: Requirement) -> None:
    print(f"{requirement.id} ({requirement.level.upper()}) for {', '.join(requirement.roles)}")
    print(f"\n  {requirement.plain}\n")
    if requirement.explanation:
        print(f"{requirement.explanation}\n")
    sources = [*requirement.clauses, *(["a decision of the specification"] * requirement.decision)]
    print(f"source: {', '.join(sources)}")
    print(f"spec/{requirement.chapter}.md, line {requirement.line}")
    shown_by = [case for case in map(cases.load, cases.case_ids()) if requirement.id in case.shows]
    print(f"\n{len(shown_by)} cases show it:" if shown_by else "\nno case shows it")
    for case in shown_by:
        print(f"  {case.id}\n    {case.why}")


def _case(case: Case) -> None:
    print(f"{case.id}\n\n  {case.why}\n")
    for ident in case.shows:
        print(f"  {ident}: {catalogue()[ident].plain}")
    if case.needs:
        print(f"  needs: {', '.join(sorted(case.needs))}")
    for number, step in enumerate(case.steps, 1):
        print(f"\nstep {number}\n  do  {json.dumps(step.do)}")
        for expectation in step.see:
            print(f"  see {json.dumps(expectation)}")
        if not step.see:
            print("  see nothing")
