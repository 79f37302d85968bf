"""`askproof serve ADAPTER`: a Python adapter as a process, like those in other languages."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from askproof import adapters
from askproof.errors import AdapterError
from askproof.serve import serve

if TYPE_CHECKING:
    import argparse


def command(args: argparse.Namespace) -> int:
    """Serve until the standard input ends.

    The streams of the conversation are moved away from where an adapter, a library of it or a child
    process would print to or read from: what they print goes to the standard error.
    """
    make = adapters.in_process(args.adapter)
    with os.fdopen(os.dup(0), "rb") as source, os.fdopen(os.dup(1), "wb") as sink:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        try:
            adapter = make()
        except AdapterError:
            raise
        except Exception as error:
            raise AdapterError(f"the adapter could not be made: {error!r}") from error
        serve(adapter, source, sink)
    return 0
