"""`askproof serve ADAPTER`: a Python adapter behind the standard streams, as other languages are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from askproof import adapters
from askproof.errors import AdapterError
from askproof.serve import serve

if TYPE_CHECKING:
    import argparse


def command(args: argparse.Namespace) -> int:
    """Serve until the standard input ends."""
    make = adapters.in_process(args.adapter)
    try:
        adapter = make()
    except AdapterError:
        raise
    except Exception as error:
        raise AdapterError(f"the adapter could not be made: {error!r}") from error
    serve(adapter, sys.stdin.buffer, sys.stdout.buffer)
    return 0
