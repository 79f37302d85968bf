"""Extensions of Pi, driven through the real Pi where it is installed: `nox -s pi` installs it."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from askproof import pi_extension
from askproof.__main__ import main
from askproof.errors import AdapterError

EXAMPLES = Path(__file__).parents[2] / "examples" / "pi"
HOST = f"pi:{EXAMPLES / 'host'}"
BRIDGE = ["--hooks", str(EXAMPLES / "bridge" / "hooks.mjs")]
ONE = ["--case", "events/ask-host/submit/cancel"]


class Run(NamedTuple):
    status: int
    outcomes: Counter[str]
    blames: set[str]
    adapter: str
    told: str


def missing() -> str:
    """Why Pi cannot be driven here; whoever names a Pi in the environment wants no test skipped."""
    try:
        pi_extension.command(str(EXAMPLES / "host"))
    except AdapterError as error:
        return "" if "ASKPROOF_PI" in os.environ else str(error)
    return ""


needs_pi = pytest.mark.skipif(bool(missing()), reason=missing())


def run(folder: Path, *words: str) -> Run:
    results = folder / "results.jsonl"
    command = [sys.executable, "-m", "askproof", "run", *words, "--results", str(results)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    records: list[dict[str, Any]] = []
    if results.exists():
        records = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    cases = [record for record in records if record["type"] == "case"]
    return Run(
        ended.returncode,
        Counter(case["outcome"] for case in cases),
        {ident for case in cases for ident in case["blames"]},
        records[0]["adapter"] if records else "",
        ended.stdout + ended.stderr,
    )


@needs_pi
def test_the_host_conforms(tmp_path: Path) -> None:
    ended = run(tmp_path, HOST, "--capability", "parallel")
    assert ended.status == 0, ended.told
    assert ended.outcomes.keys() == {"passed", "not-applicable"}
    assert ended.outcomes["passed"] > 230
    assert ended.adapter == f"{HOST} --capability parallel"


@needs_pi
def test_the_faulty_host_is_blamed_for_its_three_faults(tmp_path: Path) -> None:
    ended = run(tmp_path, f"pi:{EXAMPLES / 'faulty'}")
    assert ended.status == 1, ended.told
    assert ended.blames == {"EVT-010", "EVT-058", "EVT-080"}


@needs_pi
def test_the_bridge_conforms(tmp_path: Path) -> None:
    ended = run(tmp_path, f"pi:{EXAMPLES / 'bridge'}", *BRIDGE)
    assert ended.status == 0, ended.told
    assert ended.outcomes.keys() == {"passed", "not-applicable"}
    assert ended.outcomes["passed"] > 85


@needs_pi
def test_one_file_can_play_both_roles(tmp_path: Path) -> None:
    both = tmp_path / "both.ts"
    both.write_text(
        f"import bridge from {json.dumps(str(EXAMPLES / 'bridge' / 'index.ts'))};\n"
        f"import host from {json.dumps(str(EXAMPLES / 'host' / 'index.ts'))};\n"
        "export default (pi) => { host(pi); bridge(pi); };\n"
    )
    cases = ["--case", "events/*/submit/cancel*"]
    ended = run(tmp_path, f"pi:{both}", *BRIDGE, *cases)
    assert "ask-host         MUST    conforms" in ended.told
    assert "testing both 0 (typescript)" in ended.told


STATEFUL = {
    "package.json": '{"type": "module"}',
    "plain.js": "let n = 0; export const next = () => ++n;",
    "typed.ts": "let n = 0; export const next = (): number => ++n;",
    "old.cjs": "let n = 0; module.exports.next = () => ++n;",
    "node_modules/new-dep/package.json": '{"name": "new-dep", "type": "module", "main": "x.js"}',
    "node_modules/new-dep/x.js": 'export { next } from "./y.js";',
    "node_modules/new-dep/y.js": "let n = 0; export const next = () => ++n;",
    "node_modules/old-dep/package.json": '{"name": "old-dep", "main": "x.js"}',
    "node_modules/old-dep/x.js": 'module.exports.next = require("./y.js").next;',
    "node_modules/old-dep/y.js": "let n = 0; module.exports.next = () => ++n;",
    "index.ts": """
import host from HOST;
import { createRequire } from "node:module";
import { next as ofPlain } from "./plain.js";
import { next as ofTyped } from "./typed.ts";
import { next as ofNew } from "new-dep";
import old from "old-dep";
const { next: ofOld } = createRequire(import.meta.url)("./old.cjs");
let n = 0;
export default function (pi: any) {
  globalThis.loads = (globalThis.loads ?? 0) + 1;
  const counts = [++n, ofPlain(), ofTyped(), ofNew(), old.next(), ofOld(), globalThis.loads];
  if (counts.some((count) => count !== 1)) throw new Error(`state has survived: ${counts}`);
  host(pi);
}
""",
}


@needs_pi
def test_no_state_of_modules_survives_a_case(tmp_path: Path) -> None:
    folder = tmp_path / "an extension"  # with a space
    for name, text in STATEFUL.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("HOST", json.dumps(str(EXAMPLES / "host" / "index.ts"))))
    cases = ["--namespace", "@example/ask", "--case", "events/ask-host/submit/cancel*"]
    ended = run(tmp_path, f"pi:{folder}", *cases)
    assert ended.status == 0, ended.told
    assert ended.outcomes["passed"] > 1


@needs_pi
def test_nothing_of_the_user_is_seen(tmp_path: Path) -> None:
    spy = tmp_path / "spy.ts"
    spy.write_text(
        f"import host from {json.dumps(str(EXAMPLES / 'host' / 'index.ts'))};\n"
        'import { getAgentDir } from "@earendil-works/pi-coding-agent";\n'
        'import { homedir } from "node:os";\n'
        "export default (pi) => {\n"
        "  const seen = [homedir(), getAgentDir(), process.cwd()];\n"
        '  if (seen.every((path) => path.includes("askproof-pi-"))) host(pi);\n'
        "  else throw new Error(`seen: ${seen}`);\n"
        "};\n"
    )
    ended = run(tmp_path, f"pi:{spy}", "--namespace", "@example/ask", *ONE)
    assert ended.status == 0, ended.told


@needs_pi
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--tool", "ask"], "registers no tool ask, but: ask_user; name the one that asks with --"),
        (["--namespace", "@a/b"], "emitted under @a/b, but: @example/ask:started"),
        (["--hooks", "no/such.mjs"], "there is no module of hooks: no/such.mjs"),
    ],
)
def test_what_does_not_fit_is_told_in_one_line(
    words: list[str], problem: str, tmp_path: Path
) -> None:
    ended = run(tmp_path, HOST, *words)
    assert ended.status == 3
    assert problem in ended.told
    assert len(ended.told.splitlines()) == 1


@needs_pi
def test_an_extension_that_does_not_load_is_told_in_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken.ts"
    broken.write_text('throw new Error("on purpose");')
    ended = run(tmp_path, f"pi:{broken}")
    assert ended.status == 3
    assert f"{broken}: Failed to load extension: on purpose" in ended.told
    assert len(ended.told.splitlines()) == 1


def node_that_says(folder: Path, version: str) -> None:
    node = folder / "node"
    node.write_text(f"#!/bin/sh\necho {version}\n")
    node.chmod(0o755)


@pytest.mark.parametrize(
    ("version", "named", "problem"),
    [
        ("", "", "needs Node.js 22.19 or newer, and there is no node; install it from https://"),
        ("v20.11.1", "", "/node is 20.11.1; install it from https://nodejs.org, or with: pip inst"),
        ("v24.0.0", "", "Pi is not installed beside the extension; install it with: npm install @"),
        ("v24.0.0", "no/such", "extension nor in 'no/such', which ASKPROOF_PI names; install it"),
    ],
)
def test_what_is_missing_is_told_in_one_line(  # noqa: PLR0913, PLR0917
    version: str,
    named: str,
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    extension = tmp_path / "ask.ts"
    extension.touch()
    if version:
        node_that_says(tmp_path, version)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.delenv("ASKPROOF_PI", raising=False)
    if named:
        monkeypatch.setenv("ASKPROOF_PI", named)
    assert main(["run", "pi:ask.ts"]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("askproof run: pi: ")
    assert problem in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["pi:"], "pi: needs an extension, such as pi:extensions/ask.ts"),
        (["pi:ask.ts 'x"], "cannot be split into words: No closing quotation"),
        (["pi:ask.ts --nope"], "pi:EXTENSION: unrecognized arguments: --nope"),
        (["reference", "--tool", "x"], "--tool belongs to pi:EXTENSION, and the adapter is 'refe"),
        (["pi:ask.ts --capability tui"], "invalid choice: 'tui'"),
    ],
)
def test_wrong_usage_is_told(
    words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", *words]) == 2
    assert problem in capsys.readouterr().err


def test_an_extension_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "events/ask-host/submit/cancel", "pi:no/such.ts"]) == 3
    assert capsys.readouterr().err == "askproof replay: there is no extension: no/such.ts\n"
