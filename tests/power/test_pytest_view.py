"""The cases as tests of pytest, in projects of other people with settings and plugins of theirs."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import askproof
from askproof import case as cases
from tests.engine.helpers import fake_command, is_gone

CRASHING = f"python:{Path(__file__).parent / 'fakes' / 'crashing.py'}:Adapter"
ALL = cases.case_ids()
CANCELS = [case for case in ALL if "submit/cancel" in case]
CRASHED = "events/ask-host/submit/failure-inside-the-host"
# One of them crashes, and some come after it.
SOME = ["-k", "ask-host/submit/entry or ask-host/submit/f"]
SOME_CASES = [
    case for case in ALL if "ask-host/submit/entry" in case or "ask-host/submit/f" in case
]


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest as somebody else would, in their folder."""
    given = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(
        command, cwd=folder, env=given, capture_output=True, text=True, timeout=120, check=False
    )


def view(folder: Path, adapter: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "--pyargs", "askproof.suite", "--askproof", adapter, *arguments)


def counts(done: subprocess.CompletedProcess[str]) -> str:
    """What the last line says, without the time."""
    (found,) = re.findall(r"^(?:=+ )?(\d.*) in [\d.]+s.*$", done.stdout, re.MULTILINE)
    return str(found)


def names(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The cases of `-v` or `--collect-only`, in their order, whatever became of them."""
    lines = re.findall(r"^.*askproof\.suite::(\S+)", done.stdout, re.MULTILINE)
    return list(dict.fromkeys(lines))


# The settings and plugins of a user

HOOKS = """\
import pytest

def pytest_itemcollected(item):
    assert item.originalname if isinstance(item, pytest.Function) else item.name

def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: "database" in item.fixturenames)
    items.reverse()

def pytest_runtest_setup(item):
    assert item.get_closest_marker("slow") is None
    print("\\nhooked", item.name)

def pytest_runtest_makereport(item, call):
    item.user_properties.append(("where", item.location))
"""
FIXTURES = """\
import pytest

@pytest.fixture(autouse=True)
def database():
    raise RuntimeError("there is none")

@pytest.fixture(autouse=True, scope="session")
def service():
    raise RuntimeError("there is none")
"""


INI = """\
[pytest]
addopts = --strict-markers --strict-config
filterwarnings = error
markers = slow
norecursedirs = *
python_classes = *
python_files = *.py
python_functions = *
testpaths = nowhere
usefixtures = database
"""
TURNED_OFF = ("cacheprovider", "doctest", "junitxml", "logging", "skipping", "unraisableexception")


@pytest.mark.parametrize(
    ("files", "arguments"),
    [
        pytest.param({"pytest.ini": INI, "conftest.py": FIXTURES}, [], id="settings and fixtures"),
        pytest.param({"pytest.toml": "[pytest]\nstrict = true\n"}, [], id="strict everything"),
        pytest.param(
            {"conftest.py": HOOKS + "collect_ignore_glob = ['*']\n"}, [], id="hooks for every item"
        ),
        pytest.param({}, ["--doctest-modules", "--import-mode=importlib", "-s"], id="doctests"),
        pytest.param({}, [f"-pno:{name}" for name in TURNED_OFF], id="plugins turned off"),
        pytest.param({"pytest.ini": INI}, ["-n2", "--dist=loadscope"], id="xdist by scope"),
    ],
)
def test_what_a_user_has_set_does_not_matter(
    tmp_path: Path, files: dict[str, str], arguments: list[str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    adapter = f"exec:{sys.executable} -m askproof serve reference"
    done = view(tmp_path, adapter, "-v", "-k", "submit/cancel", *arguments)
    assert done.returncode == 0, done
    assert f"{len(CANCELS)} passed" in counts(done)
    assert "warning" not in counts(done)
    assert sorted(names(done)) == sorted(CANCELS)


def test_the_hooks_of_the_project_that_the_kit_is_installed_in_do_not_matter(
    tmp_path: Path,
) -> None:
    """Its conftest.py is then above the suite, as for an environment in the folder of a project."""
    packages = tmp_path / ".venv" / "packages"
    packages.mkdir(parents=True)
    for path in (Path(askproof.__path__[0]), Path(askproof.__path__[0]).parents[1] / "schemas"):
        (packages / path.name).symlink_to(path)
    (tmp_path / "conftest.py").write_text(FIXTURES + HOOKS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text(
        f"[pytest]\npythonpath={packages}\naddopts=--confcutdir={tmp_path}\n", encoding="utf-8"
    )
    done = view(tmp_path, "reference", "-s", "-k", "submit/cancel")
    assert done.returncode == 0, done
    assert re.findall(r"^hooked (.*)$", done.stdout, re.MULTILINE) == CANCELS[::-1]


@pytest.mark.parametrize("arguments", [[], ["-n2"]], ids=["one process", "xdist"])
def test_the_whole_suite_passes_in_any_order(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "conftest.py").write_text(HOOKS, encoding="utf-8")
    done = view(tmp_path, "reference", "-v", *arguments)
    assert done.returncode == 0
    assert counts(done) == f"{len(ALL) - 4} passed, 4 skipped"
    assert sorted(names(done)) == sorted(ALL)
    if not arguments:
        assert names(done) == list(ALL[::-1])


# The options of pytest


def test_a_keyword_selects_by_the_case_id(tmp_path: Path) -> None:
    done = view(tmp_path, "reference", "--collect-only", "-q", "-k", "ask-host and submit/cancel")
    assert names(done) == [case for case in CANCELS if "ask-host" in case]


def test_a_node_id_selects_one_case(tmp_path: Path) -> None:
    node = f"askproof.suite::{CANCELS[0]}"
    done = run(tmp_path, "--pyargs", node, "--askproof", "reference", "-v")
    assert (names(done), counts(done)) == ([CANCELS[0]], "1 passed")


def test_a_marker_selects_by_the_requirement(tmp_path: Path) -> None:
    chosen = [case for case in ALL if "EVT-071" in cases.load(case).shows]
    done = view(tmp_path, "reference", "-q", "--collect-only", "-m", "requirement(id='EVT-071')")
    assert chosen
    assert names(done) == chosen


def test_x_stops_at_the_first_failure_and_lf_begins_with_it(tmp_path: Path) -> None:
    stopped = view(tmp_path, CRASHING, "-v", "-x", *SOME)
    at = SOME_CASES.index(CRASHED)
    assert (stopped.returncode, names(stopped)) == (1, SOME_CASES[: at + 1])
    assert at + 1 < len(SOME_CASES)
    again = view(tmp_path, "reference", "-v", "--lf")
    assert (again.returncode, names(again)) == (0, [CRASHED])


def test_junit_names_the_cases(tmp_path: Path) -> None:
    view(tmp_path, CRASHING, *SOME, "--junitxml=junit.xml")
    tests = [*ET.parse(tmp_path / "junit.xml").iter("testcase")]  # noqa: S314 - pytest wrote it
    assert [test.attrib["name"] for test in tests] == SOME_CASES
    assert {test.attrib["classname"] for test in tests} == {"askproof.suite"}
    (failure,) = (child for test in tests for child in test)
    assert failure.tag == "failure"
    assert (failure.text or "").startswith(f"CRASHED  {CRASHED}\n")


# What it says


def test_a_fault_is_shown_with_the_report_and_no_trace(tmp_path: Path) -> None:
    done = view(tmp_path, CRASHING, "-k", "submit/fa")
    assert done.returncode == 1
    assert f"\nCRASHED  {CRASHED}\n  A host that breaks" in done.stdout
    assert "the implementation threw: ZeroDivisionError: not\\u001b[2J today" in done.stdout
    assert f"  replay: askproof replay {CRASHED} {CRASHING}\n" in done.stdout
    assert "Traceback" not in done.stdout
    assert "engine.py" not in done.stdout
    assert "\x1b" not in done.stdout


def test_what_is_not_applicable_is_skipped_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from askproof_reference.adapter import Adapter as Reference\n"
        "class Adapter(Reference):\n"
        "    roles = {'ask-bridge': {'capabilities': ['provider']}}\n",
        encoding="utf-8",
    )
    chosen = ["-rs", "-k", "submit/cancel or provider/reloaded"]
    done = view(tmp_path, "python:mine.py:Adapter", *chosen)
    assert done.returncode == 0
    applicable = sum("ask-bridge" in case for case in CANCELS)
    skipped = len(CANCELS) - applicable + 1
    assert counts(done).startswith(f"{applicable} passed, {skipped} skipped")
    assert "the role ask-host is not declared\n" in done.stdout
    assert "capability not declared: reload\n" in done.stdout


def test_without_an_adapter_it_is_wrong_usage_but_can_be_listed(tmp_path: Path) -> None:
    done = run(tmp_path, "--pyargs", "askproof.suite")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stderr == "ERROR: askproof.suite needs --askproof ADAPTER, such as reference\n\n"
    listed = run(tmp_path, "--pyargs", "askproof.suite", "--collect-only", "-q")
    assert (listed.returncode, names(listed)) == (0, list(ALL))


@pytest.mark.parametrize(
    ("adapter", "status", "reason"),
    [
        ("exec:/no/such/program", 3, "cannot start '/no/such/program': No such file or directory"),
        ("exec:" + " ".join(fake_command("start-dies")), 3, "error ends with: boom\\u001b[2J"),
        ("python:no_such_module:Adapter", 3, "ModuleNotFoundError: No module named 'no_such_mod"),
        ("refrence", 2, "'refrence' is no adapter; write reference, python:MODULE:NAME, "),
    ],
)
def test_an_adapter_that_cannot_start_ends_the_run_with_one_line(
    tmp_path: Path, adapter: str, status: int, reason: str
) -> None:
    done = view(tmp_path, adapter, "-q")
    assert done.returncode == status
    (line,) = (line for line in done.stdout.splitlines() if "askproof: " in line)
    assert reason in line
    assert "Traceback" not in done.stdout + done.stderr
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--askproof", "exec:/no/such/program"], "cannot start '/no/such/program': No such file"),
        ([], "askproof.suite needs --askproof ADAPTER, such as reference"),
    ],
)
def test_workers_that_have_no_adapter_end_the_run_too(
    tmp_path: Path, arguments: list[str], reason: str
) -> None:
    done = run(tmp_path, "--pyargs", "askproof.suite", "-n2", *arguments)
    assert done.returncode == pytest.ExitCode.INTERRUPTED
    assert f"Interrupted: askproof: {reason}" in done.stdout
    assert "INTERNALERROR" not in done.stdout
    assert "passed" not in counts(done)


def test_an_adapter_that_ignores_the_end_is_not_left_behind(tmp_path: Path) -> None:
    (tmp_path / "adapter.py").write_text(
        "import atexit, os, pathlib, time\n"
        "atexit.register(time.sleep, 60)\n"
        "pathlib.Path('pid').write_text(str(os.getpid()))\n"
        "from askproof_reference.adapter import Adapter\n",
        encoding="utf-8",
    )
    adapter = f"exec:{sys.executable} -m askproof serve python:adapter.py:Adapter"
    assert view(tmp_path, adapter, "-k", "submit/cancel").returncode == 0
    assert is_gone(int((tmp_path / "pid").read_text(encoding="utf-8")))


# Where it is not asked for


def test_a_run_of_other_tests_has_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings=error\n", encoding="utf-8")
    (tmp_path / "suite.py").write_text("def test_mine(): pass\n", encoding="utf-8")
    (tmp_path / "test_mine.py").write_text(
        "import sys\n"
        "def test_mine(request):\n"
        "    assert request.config.pluginmanager.has_plugin('askproof')\n"
        "    mine = {name for name in sys.modules if name.startswith('askproof')}\n"
        "    assert mine == {'askproof', 'askproof.pytest_plugin'}\n",
        encoding="utf-8",
    )
    assert counts(run(tmp_path, "-v", "test_mine.py", "suite.py")) == "2 passed"
