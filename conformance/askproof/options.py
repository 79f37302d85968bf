"""A parser of options that says what is wrong in one line."""

from __future__ import annotations

import argparse
from typing import NoReturn

# Of an adapter `pi:EXTENSION`, on the command line or as a part of it.
_PI = (
    ("--tool", "NAME", "the tool that asks (default: ask_user)"),
    ("--namespace", "PREFIX", "the prefix of the event channels (default: from its package.json)"),
    ("--hooks", "FILE", "a module that plays the human of a bridge"),
    ("--capability", "NAME", "what it can do and the kit cannot see: parallel"),
)
_DECLARABLE = ("parallel", "preview-files")


class Parser(argparse.ArgumentParser):
    """As its base, with a width that need not be asked of `shutil`, which takes time to import."""

    def __init__(self, prog: str, description: str, epilog: str) -> None:
        super().__init__(prog, None, description, epilog, formatter_class=_formatter)

    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        start, _, rest = message.partition("unrecognized arguments: ")
        if not start and not rest.startswith("-"):
            message += "; quote an adapter that has arguments: 'exec:COMMAND ...'"
        self.exit(2, f"{self.prog}: {message}; see: {self.prog} --help\n")


def _formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.HelpFormatter(prog, width=98)


def add_pi_options(command: argparse.ArgumentParser) -> None:
    """Add the options that say how an extension of Pi is driven."""
    group = command.add_argument_group("of pi:EXTENSION")
    for option, metavar, about in _PI[:-1]:
        group.add_argument(option, metavar=metavar, help=about)
    option, metavar, about = _PI[-1]
    group.add_argument(
        option, action="append", default=[], choices=_DECLARABLE, metavar=metavar, help=about
    )


def with_pi_options(args: argparse.Namespace) -> None:
    """Make these options a part of the adapter, so that results and transcripts name it in full.

    Raises UsageError for an adapter of another kind.
    """
    from askproof.errors import UsageError

    words = []
    for option, *_ in _PI if hasattr(args, "adapter") and hasattr(args, "hooks") else ():
        given = getattr(args, option.removeprefix("--"))
        for value in given if isinstance(given, list) else [given]:
            words += [option, value] if value is not None else []
    if not words:
        return
    kind, _, rest = args.adapter.partition(":")
    if kind != "pi":
        raise UsageError(f"{words[0]} belongs to pi:EXTENSION, and the adapter is {args.adapter!r}")
    import shlex

    args.adapter = f"pi:{shlex.join([*pi_words(rest), *words])}"


def pi_words(rest: str) -> list[str]:
    """The words after `pi:`; a path that exists is one, whatever is in it. Raises UsageError."""
    import shlex
    from pathlib import Path

    from askproof.errors import UsageError

    if rest and Path(rest).exists():
        return [rest]
    try:
        return shlex.split(rest)
    except ValueError as error:
        raise UsageError(f"'pi:{rest}' cannot be split into words: {error}") from None
