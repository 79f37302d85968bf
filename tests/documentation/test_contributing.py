"""The steps of CONTRIBUTING.md: the broken rule is noticed, and blamed alone."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_broken_reference_fails_for_the_rule_that_the_text_names(tmp_path: Path) -> None:
    (program,) = re.findall(r"^   ```python\n(.*?)^   ```$", PAGE, re.MULTILINE | re.DOTALL)
    file = tmp_path / "broken.py"
    file.write_text(program.replace("\n   ", "\n").removeprefix("   "), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "askproof", "run", f"python:{file}:Adapter", "--case", "*/submit/*"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    blamed = set(re.findall(r"^  (\w{3}-\d{3}) \(", done.stdout, re.MULTILINE))
    assert blamed == {"EVT-083"}
    assert "EVT-083" in PAGE
