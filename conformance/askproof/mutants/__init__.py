"""Mutants: the reference implementation with exactly one rule broken.

A suite that passes proves nothing until it has been seen to fail. Each mutant replaces one method
or function of the reference; the suite must notice, and blame the rule that the mutant breaks.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from askproof.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_MODULES = (
    *("host_input", "host_life", "host_submits", "host_results", "host_external_ui", "bridge"),
    *("receipt_delivery", "receipt_subscriptions", "receipt_contents", "receipt_consumer"),
    *("journal_writer_asks", "journal_writer_decisions", "journal_writer_files"),
    *("journal_reader", "journal_reader_files", "journal_reader_faults"),
)
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
    requirement: str,
    role: str,
    owner: Any,
    attribute: str,
    *consequences: str,
    each: Mapping[str, Any] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as a mutant: its name, its docstring, what it replaces.

    With `each` it is a family, one mutant for every item: the function gets the value after the
    original, and the key is added to the name and put into the docstring in place of `{}`.
    """

    def register(replacement: Callable[..., Any]) -> Callable[..., Any]:
        base, why = replacement.__name__.replace("_", "-"), (replacement.__doc__ or "").strip()
        for key, value in {"": None}.items() if each is None else each.items():
            name = f"{base}-{key}" if each else base
            if name in _registered:
                raise InternalError(f"two mutants are called {name}")
            if not why:
                raise InternalError(f"the mutant {name} does not say what it does")
            _registered[name] = Mutant(
                name=name,
                requirement=requirement,
                role=role,
                why=why.format(key.replace("-", " ")) if each else why,
                owner=owner,
                attribute=attribute,
                replacement=_with(value, replacement) if each else replacement,
                consequences=frozenset(consequences),
            )
        return replacement

    return register


def families(
    role: str, owner: Any, attribute: str, **rules: Mapping[str, Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as families that break several rules in one place.

    The keyword `EVT_072_073` has a family that breaks EVT-072, with the consequence EVT-073.
    """

    def register(replacement: Callable[..., Any]) -> Callable[..., Any]:
        for name, each in rules.items():
            contract, *numbers = name.split("_")
            requirement, *consequences = (f"{contract}-{number}" for number in numbers)
            breaks(requirement, role, owner, attribute, *consequences, each=each)(replacement)
        return replacement

    return register


def _with(value: Any, replacement: Callable[..., Any]) -> Callable[..., Any]:
    """A member of a family: the replacement with its value after the original."""

    def replaced(original: Any, *args: Any, **named: Any) -> Any:
        return replacement(original, value, *args, **named)

    return replaced


@cache
def mutants() -> dict[str, Mutant]:
    """Every mutant by its name."""
    from importlib import import_module

    for module in _MODULES:
        import_module(f"askproof.mutants.{module}")
    return dict(_registered)
