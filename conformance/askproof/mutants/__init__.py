"""Mutants: the reference implementation with exactly one rule broken.

A suite that passes proves nothing until it has been seen to fail. Each mutant replaces one method or
function of the reference; the suite must notice, and blame the rule that the mutant breaks.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from askproof.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MODULES = ("host_input", "host_life", "host_submits", "host_results", "host_external_ui", "bridge")
_registered: dict[str, Mutant] = {}


@dataclass(frozen=True)
class Mutant:
    """One rule broken in one place.

    Attributes:
        name: what the mutant does, as a name.
        requirement: the id of the rule that it breaks.
        role: the role whose cases must notice.
        why: what it does, in a sentence.
        owner: the class or module of the reference that holds what is replaced.
        attribute: the name of that.
        replacement: called with the original first, then as the original is.
        consequences: ids of other rules that cases may, and must, blame as well.
    """

    name: str
    requirement: str
    role: str
    why: str
    owner: Any
    attribute: str
    replacement: Callable[..., Any]
    consequences: frozenset[str]

    @contextmanager
    def applied(self) -> Iterator[list[bool]]:
        """Put the mutant in place meanwhile; the list is no longer empty once it was reached.

        Raises InternalError if there is nothing of that name to replace.
        """
        if self.attribute not in vars(self.owner):
            raise InternalError(f"{self.owner.__name__} has no {self.attribute} of its own")
        original = vars(self.owner)[self.attribute]
        reached: list[bool] = []

        def replaced(*args: Any, **named: Any) -> Any:
            reached.append(True)
            return self.replacement(original, *args, **named)

        setattr(self.owner, self.attribute, replaced)
        try:
            yield reached
        finally:
            setattr(self.owner, self.attribute, original)


def breaks(
    requirement: str, role: str, owner: Any, attribute: str, *consequences: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as a mutant: its name, its docstring, what it replaces."""

    def register(replacement: Callable[..., Any]) -> Callable[..., Any]:
        name = replacement.__name__.replace("_", "-")
        if name in _registered:
            raise InternalError(f"two mutants are called {name}")
        if not replacement.__doc__:
            raise InternalError(f"the mutant {name} does not say what it does")
        _registered[name] = Mutant(
            name=name,
            requirement=requirement,
            role=role,
            why=replacement.__doc__.strip(),
            owner=owner,
            attribute=attribute,
            replacement=replacement,
            consequences=frozenset(consequences),
        )
        return replacement

    return register


@cache
def mutants() -> dict[str, Mutant]:
    """Every mutant by its name."""
    from importlib import import_module

    for module in _MODULES:
        import_module(f"askproof.mutants.{module}")
    return dict(_registered)
