"""The folders in which adapters keep the files of a case.

Removing a folder can take longer than everything else that a case does, so that one adapter hands
its folder on to the next, and the last takes it away.
"""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock
from typing import ClassVar
from weakref import WeakValueDictionary, finalize


class ScratchFolder:
    """A folder that goes, with all that is in it, when nobody holds this any more."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="askproof-"))
        self._lent = Lock()
        finalize(self, rmtree, self.path, ignore_errors=True)

    def lend(self, user: object) -> bool:
        """Give it, empty, to one who has it until it is dropped; False while another has it."""
        if not self._lent.acquire(blocking=False):
            return False
        finalize(user, self._lent.release)
        self.empty()
        return True

    def empty(self) -> None:
        """Remove what is in it."""
        for path in self.path.iterdir():
            if path.is_dir() and not path.is_symlink():
                rmtree(path)
            else:
                path.unlink()


class Scratch:
    """What an adapter makes with itself, while the one before is there, to have a folder later."""

    _newest: ClassVar[WeakValueDictionary[str, ScratchFolder]] = WeakValueDictionary()

    def __init__(self, role: str) -> None:
        self._role = role
        self._folder = self._newest.get(role)

    def folder_of(self, user: object) -> ScratchFolder:
        """The folder that was handed on, if its user has gone, else a new one."""
        if self._folder is None or not self._folder.lend(user):
            self._folder = self._newest[self._role] = ScratchFolder()
            self._folder.lend(user)
        return self._folder
