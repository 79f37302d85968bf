"""Mutants that take one expression, in a table, and what such expressions are made of.

A key of a table names the rule that is broken, others that are blamed as well, the method that is
replaced, and what the implementation does then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askproof.mutants import breaks

if TYPE_CHECKING:
    from collections.abc import Mapping


def table(role: str, owner: Any, who: str, entries: Mapping[str, Any]) -> None:
    """Register every entry of a table; `who` begins the names of the mutants."""

    def mutant(original: Any, it: Any, *given: Any, **named: Any) -> Any:
        return it(original, *given, **named)

    mutant.__name__, mutant.__doc__ = who, f"The {who} {{}}."
    for key, it in entries.items():
        requirement, *others, method, name = key.split()
        breaks(requirement, role, owner, method, *others, each={name: it})(mutant)


def after(change: Any) -> Any:
    """What the method returned is changed; `change` gets that, and the arguments."""
    return lambda original, *given: change(original(*given), *given)


def before(change: Any) -> Any:
    """The last argument is changed; `change` gets that, and then all of them."""
    return lambda original, *given: original(*given[:-1], change(given[-1], *given))


def unless(when: Any) -> Any:
    """Nothing is done where `when` says so, which gets the arguments."""
    return lambda original, *given: None if when(*given) else original(*given)


def put(thing: Any, **new: Any) -> Any:
    """The thing, with other attributes."""
    thing.__dict__.update(new)
    return thing
