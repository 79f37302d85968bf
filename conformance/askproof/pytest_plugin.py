"""The view of pytest on the engine: one test a case, named by its id, its requirements as markers.

The items are made here and not found by name, so that no `python_files`, `python_functions` or
`conftest.py` of a user changes what is run.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from askproof.case import Case
    from askproof.session import Session

_SUITE = Path(__file__).with_name("suite.py")
_NODE = "askproof.suite"
_NO_ADAPTER = "askproof.suite needs --askproof ADAPTER, such as reference"
_session = pytest.StashKey["Session"]()
_nothing = pytest.StashKey[bool]()


class CaseFailedError(Exception):
    """A case that did not pass; the text is the report of it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names the adapter."""
    group = parser.getgroup("askproof", "conformance of an implementation (askproof)")
    group.addoption(
        "--askproof",
        metavar="ADAPTER",
        help="what --pyargs askproof.suite is run against: reference, python:..., 'exec:...'",
    )

    group.addoption(
        "--askproof-level",
        choices=("must", "should"),
        default="should",
        help="the weakest level that is demanded (default: should)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    line = "requirement(id): a requirement of the askproof specification that the case shows"
    config.addinivalue_line("markers", line)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the suite, and nothing else."""
    return Suite.from_parent(parent, path=file_path, nodeid=_NODE) if file_path == _SUITE else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where every case was skipped nothing was verified, and that must not look like a success."""
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or session.exitstatus != pytest.ExitCode.OK:
        return
    ended = {
        outcome: [one for one in reporter.stats.get(outcome, ()) if one.nodeid.startswith(_NODE)]
        for outcome in ("passed", "skipped")
    }
    if ended["skipped"] and not ended["passed"]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        session.config.stash[_nothing] = True


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say why."""
    if config.stash.get(_nothing, False):
        terminalreporter.write_line("askproof: nothing was verified: every case was skipped")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to run cases against nothing; what there is can be listed without an adapter."""
    config = session.config
    wanted = any(isinstance(item, CaseItem) for item in session.items)
    if wanted and not (config.option.askproof or config.option.collectonly or _is_worker(config)):
        raise pytest.UsageError(_NO_ADAPTER)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the adapter."""
    if _session in config.stash:
        config.stash[_session].close()


class Suite(pytest.File):
    """All the fixed cases."""

    def collect(self) -> Iterator[pytest.Item]:
        """Make an item for each case."""
        from askproof.selection import Selection

        for case in Selection((), self.config.getoption("--askproof-level"), (), ()).cases():
            yield CaseItem.from_parent(self, name=case.id, case=case)


class CaseItem(pytest.Item):
    """One case."""

    fixturenames: Sequence[str] = ()  # hooks of users look there, in every item

    def __init__(self, *, case: Case, **named: Any) -> None:
        """Mark it with its requirements."""
        super().__init__(**named)
        self._case = case
        for ident in self._case.shows:
            self.add_marker(pytest.mark.requirement(id=ident))

    def runtest(self) -> None:
        """Run it: not applicable is a skip, and whatever is no pass is a failure."""
        from askproof import engine
        from askproof.terminal import Terminal

        level = self.config.getoption("--askproof-level")
        result = engine.run_case(_connected(self), self._case, level)
        if result.outcome == "not-applicable":
            pytest.skip(result.message)
        if result.outcome != "passed":
            text = io.StringIO()
            Terminal(text, text, self.config.option.askproof).case(result)
            raise CaseFailedError(text.getvalue().strip())

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the report of the case; the trace of the engine says nothing to anybody."""
        if isinstance(excinfo.value, CaseFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the case is."""
        return _SUITE, None, self.name


def _connected(item: CaseItem) -> Session:
    """The session with the adapter, started with the first case."""
    from askproof import adapters
    from askproof.errors import AskproofError, UsageError
    from askproof.shown import printable

    config = item.config
    if _session not in config.stash:
        try:
            if not config.option.askproof:
                raise UsageError(_NO_ADAPTER)
            session = adapters.connect(config.option.askproof)
            session.initialize()
        except AskproofError as error:
            problem = f"askproof: {printable(str(error))}"
            if _is_worker(config):  # which can only ask for the end of the run
                item.session.shouldfail = problem
                raise CaseFailedError(problem) from None
            pytest.exit(problem, returncode=error.exit_status)
        config.stash[_session] = session
    return config.stash[_session]


def _is_worker(config: pytest.Config) -> bool:
    """Whether this is a process that pytest-xdist has started."""
    return hasattr(config, "workerinput")
