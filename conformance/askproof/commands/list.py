"""`askproof list`: the cases, roles and requirements that there are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from askproof.selection import Selection
from askproof.specification import ROLES, catalogue

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from askproof.case import Case


def command(args: argparse.Namespace) -> int:
    """Print what the selection leaves of them."""
    chosen = Selection.of(args).cases()
    rows = list(_ROWS[args.what](chosen))
    if args.json:
        print(json.dumps(rows, indent=2))
        return 0
    width = max(len(str(row["id"])) for row in rows)
    for row in rows:
        print(f"{row['id']:<{width}}  {row['text']}")
    return 0


def _cases(chosen: list[Case]) -> Iterable[dict[str, Any]]:
    for case in chosen:
        yield {"id": case.id, "text": case.why, "role": case.role, "requirements": case.shows}


def _roles(chosen: list[Case]) -> Iterable[dict[str, Any]]:
    for role in ROLES:
        count = sum(case.role == role for case in chosen)
        if count:
            yield {"id": role, "text": f"{count} cases", "cases": count}


def _requirements(chosen: list[Case]) -> Iterable[dict[str, Any]]:
    shown = {ident for case in chosen for ident in case.shows}
    for ident, requirement in catalogue().items():
        if ident in shown:
            yield {
                "id": ident,
                "text": requirement.plain,
                "level": requirement.level,
                "roles": requirement.roles,
            }


_ROWS = {"cases": _cases, "roles": _roles, "requirements": _requirements}
