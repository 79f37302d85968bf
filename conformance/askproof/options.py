"""A parser of options that says what is wrong in one line."""

from __future__ import annotations

import argparse
from typing import NoReturn


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
