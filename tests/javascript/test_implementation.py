"""The implementation in examples/javascript/ conforms, and its mutants are blamed rightly."""

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from askproof.case import case_ids
from tests.javascript.helpers import EXAMPLES, needs_node

MUTANTS: dict[str, Any] = tomllib.loads(
    (Path(__file__).parent / "mutants.toml").read_text(encoding="utf-8")
)
# What applies to the other variant of a behaviour that the specification leaves open.
OTHER_VARIANTS = 4

pytestmark = needs_node


def run(folder: Path, results: Path, *options: str) -> list[dict[str, Any]]:
    """Run the cases, and give the lines of the results."""
    adapter = f"exec:node {folder / 'adapter.mjs'}"
    command = [sys.executable, "-m", "askproof", "run", adapter, "--results", str(results)]
    done = subprocess.run(
        [*command, *options], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]


def test_every_case_of_every_role_passes(tmp_path: Path) -> None:
    lines = run(EXAMPLES, tmp_path / "results.jsonl")
    passed = len(case_ids()) - OTHER_VARIANTS
    outcomes = {name: count for name, count in lines[-1]["outcomes"].items() if count}
    assert outcomes == {"passed": passed, "not-applicable": OTHER_VARIANTS}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_blamed_for_what_it_breaks(name: str, tmp_path: Path) -> None:
    mutant = MUTANTS[name]
    folder = shutil.copytree(EXAMPLES, tmp_path / "javascript")
    file = folder / mutant["file"]
    text = file.read_text(encoding="utf-8")
    assert text.count(mutant["from"]) == 1
    file.write_text(text.replace(mutant["from"], mutant["to"]), encoding="utf-8")
    lines = run(folder, tmp_path / "results.jsonl", "--role", mutant["role"])
    assert {line["outcome"] for line in lines[1:-1]} <= {"passed", "failed", "not-applicable"}
    assert sorted({rule for line in lines[1:-1] for rule in line["blames"]}) == mutant["blames"]
