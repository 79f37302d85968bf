"""What the reference consists of, to see that nothing of it has been replaced."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import askproof_reference

# Python fills these in when it likes.
_LATE = {"__warningregistry__", "__abstractmethods__", "__annotations_cache__", "_abc_impl"}


def everything() -> dict[tuple[str, ...], int]:
    """The identity of each thing in each module and class of the reference."""
    return {name: id(member) for name, member in _members() if name[-1] not in _LATE}


def _members() -> Iterator[tuple[tuple[str, ...], Any]]:
    for path in sorted(Path(askproof_reference.__path__[0]).glob("[!_]*.py")):
        module = import_module(f"askproof_reference.{path.stem}")
        for name, value in vars(module).items():
            yield (module.__name__, name), value
            if isinstance(value, type) and value.__module__ == module.__name__:
                for inner, member in vars(value).items():
                    yield (module.__name__, name, inner), member
