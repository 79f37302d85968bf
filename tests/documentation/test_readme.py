"""Every command and program of the README, run as it stands there, in a folder of its own."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCED = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(kind: str) -> list[str]:
    return [match["text"] for match in FENCED.finditer(README) if match["kind"] == kind]


def sessions() -> list[tuple[str, str]]:
    """Every `$ command` of the console blocks with the output that is shown below it."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the README speaks of, and `askproof` on the path."""
    (program,) = blocks("python")
    (tmp_path / "my_bridge.py").write_text(program, encoding="utf-8")
    for log in ("events.jsonl", "decisions.jsonl"):
        shutil.copy(ROOT / "tests" / "documentation" / log, tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    scripts = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{scripts}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path


@pytest.mark.parametrize(("command", "shown"), sessions(), ids=[c for c, _ in sessions()])
def test_a_command_prints_what_the_readme_shows(folder: Path, command: str, shown: str) -> None:
    if " pi:" in command and "ASKPROOF_PI" not in os.environ:
        pytest.skip("no Pi is named by ASKPROOF_PI: nox -s pi runs this")
    if "exec:node" in command and shutil.which("node") is None:
        pytest.skip("Node.js is not on the path")
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert done.stderr == ""
    wanted = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n"
        for line in shown.splitlines()
    )
    assert re.fullmatch(wanted, done.stdout), f"{done.stdout}\nis not\n{shown}"


def test_there_are_commands_to_run() -> None:
    assert len(sessions()) >= 6


def test_the_two_commands_that_set_up_are_those_that_ci_runs() -> None:
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    first, second = (block.strip() for block in blocks("sh"))
    assert first.endswith("askproof run reference")
    assert second.endswith("nox")
    assert "README.md" in ci


def test_every_file_that_is_linked_is_there() -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        for link in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8")):
            assert "://" in link or (ROOT / link).exists(), link
