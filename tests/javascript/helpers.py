"""What the tests of the JavaScript kit share."""

import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "javascript"

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not on the path")
