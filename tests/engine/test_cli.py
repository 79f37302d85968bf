"""The command line: one clear line for what is wrong, and the exit status that is documented."""

import json
import os
import shlex
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from askproof import __version__, schemas, session
from askproof import case as cases
from askproof.__main__ import COMMANDS, main
from askproof.commands import run as run_command
from askproof.errors import InternalError
from askproof.specification import ROLES
from tests.engine.helpers import ECHO, FAKE, fake_command, is_gone, make_case

CASE = "events/ask-host/submit/after-completion"
ONE = ["--case", CASE]
ECHOES_UNQUOTED = "exec:" + shlex.join(fake_command("nothing"))
ECHOES = shlex.quote(ECHOES_UNQUOTED)
ECHO_CASE = f"--case {CASE}"
REPORT = "exec:" + " ".join(fake_command("nothing"))

Captured = pytest.CaptureFixture[str]


def askproof(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "askproof", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def refused(capsys: Captured, status: int, *arguments: str) -> str:
    """The one line on the standard error with which a command line is refused."""
    try:
        ended: object = main(list(arguments))
    except SystemExit as error:  # of argparse
        ended = error.code
    assert ended == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err
    return captured.err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "askproof: which command?; see: askproof --help"),
        (["dance\x1b"], "askproof: there is no command 'dance\\x1b'; see: askproof --help"),
        (["--dance"], "askproof: there is no command '--dance'; see: askproof --help"),
        (["run"], "askproof run: the following arguments are required: ADAPTER; see: askproof run"),
        (["run", "reference", "--level", "x"], "invalid choice: 'x'"),
        (
            ["run", "reference", "--dance"],
            "unrecognized arguments: --dance; see: askproof run --help",
        ),
        (
            ["run", "exec:node", "x.mjs"],
            "x.mjs; quote an adapter that has arguments: 'exec:COMMAND ",
        ),
        (["run", "refrence"], "'refrence' is no adapter; write reference, python:MODULE:NAME, "),
        (["run", "python:x"], "'python:x' is no adapter"),
        (["run", "exec:"], "exec: needs a command, such as 'exec:node adapter.mjs'"),
        (["run", "exec:'"], "cannot be split into words: No closing quotation"),
        (["run", "reference", "--role", "ask-hots"], "no role 'ask-hots'; did you mean ask-host?"),
        (["run", "reference", "--role", "?"], "no role '?'; see: askproof list roles"),
        (["run", "reference", "--requirement", "EVT-999"], "there is no requirement 'EVT-999'"),
        (
            ["run", "reference", "--case", "x"],
            "no case is selected by 'x'; see the ids with: askpr",
        ),
        (["run", "reference", *ONE, "--case", "x"], "no case is selected by 'x'"),
        (["run", "reference", *ONE, "--role", "ask-bridge"], f"no case is selected by '{CASE}'"),
        (
            ["run", "reference", *ONE, "--requirement", "EVT-020"],
            "no case that is selected shows EVT-02",
        ),
        (["list", "--case", "x"], "no case is selected by 'x'"),
        (["list", "dances"], "invalid choice: 'dances'"),
        (["explain", "EVT-0711"], "no requirement or case 'EVT-0711'; did you mean EVT-071?"),
        (["explain", CASE[:-1]], f"did you mean {CASE} or "),
        (["explain", CASE.replace("submit/", "sumit/")], f"did you mean {CASE}?"),
        (["explain", "evt-071"], "did you mean EVT-071?"),
        (["explain", "EVT-999"], "'EVT-999'; see: askproof list requirements\n"),
        (["explain", "after-completion"], f"did you mean {CASE} or "),
        (["list", "--case", "after-completion*"], f"did you mean {CASE} or "),
        (["list", "--role", "host"], "did you mean ask-host?"),
        (["run", "reference", "--results", "-"], "--results needs a name: the standard output has"),
        (["run", "reference", "--junit", "-"], "--junit needs a name"),
        (["run", "reference", "--transcripts", "-"], "--transcripts needs a name"),
        (
            ["run", "reference", "--results", "no/x", "--junit", "no/../no/x"],
            "--results and --junit are the same file, 'no/../no/x'",
        ),
        (["explain", "\x1b[2J"], "there is no requirement or case '\\x1b[2J'; see: askproof list"),
        (["serve", "exec:true"], "'exec:true' is no adapter"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(
    capsys: Captured, arguments: list[str], reason: str
) -> None:
    assert reason in refused(capsys, 2, *arguments)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["run", "exec:/no/such/program", *ONE], "cannot start '/no/such/program': No such file"),
        (["run", "exec:true", *ONE], "ended with exit status 0"),
        (
            ["run", "python:no_such_module:Adapter", *ONE],
            "no_such_module cannot be imported: Module",
        ),
        (["run", "python:no/such.py:Adapter", *ONE], "no/such.py cannot be imported: FileNotFound"),
        (["run", "python:json:Adapter", *ONE], "json has no 'Adapter'"),
        (
            ["run", "reference", *ONE, "--results", "no/such/file"],
            "no/such/file: cannot be written: No",
        ),
        (["run", "reference", *ONE, "--junit", "/"], "/: cannot be written: Is a directory"),
        (
            ["run", "reference", *ONE, "--transcripts", os.devnull],
            "cannot be made a folder: File exis",
        ),
        (
            ["replay", "no/such/case", "reference"],
            "no/such/case: No such file or directory; see the ids",
        ),
        (["replay", "no/such.json", "reference"], "no/such.json: No such file or directory\n"),
        (["replay", "/", "reference"], "/: Is a directory"),
        (["replay", CASE, "exec:/no/such/program"], "cannot start"),
    ],
)
def test_what_cannot_be_read_written_or_started_is_one_line_and_status_3(
    capsys: Captured, arguments: list[str], reason: str
) -> None:
    assert reason in refused(capsys, 3, *arguments)


def test_an_error_of_the_kit_is_one_line_and_status_4(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> int:
        raise ZeroDivisionError("oh\x1b[2J")

    monkeypatch.setattr(run_command, "command", fail)
    line = refused(capsys, 4, "run", "reference")
    assert line.startswith("askproof run: an error of the kit: ZeroDivisionError: oh\\u001b[2J (")

    def fail_knowingly(_: object) -> int:
        raise InternalError("a wrong case")

    monkeypatch.setattr(run_command, "command", fail_knowingly)
    assert refused(capsys, 4, "run", "reference") == "askproof run: a wrong case\n"


def test_the_reference_conforms(capsys: Captured) -> None:
    assert main(["run", "reference", *ONE]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "1 passed\nask-host         MUST    conforms       2 of " in captured.out


def test_a_failure_is_status_1(capsys: Captured) -> None:
    assert main(["run", REPORT, "--case", "events/ask-host/submit/refusal*", *ONE]) == 1
    assert "FAILED" not in capsys.readouterr().out


def test_nothing_applicable_is_status_1_and_said(capsys: Captured) -> None:
    assert main(["run", REPORT, "--role", "ask-bridge"]) == 1
    out = capsys.readouterr().out
    assert "the role ask-bridge is not declared" in out
    assert "ask-bridge       not applicable\n" in out
    assert out.endswith("nothing was verified: no case applies to this adapter\n")


def test_an_adapter_that_does_not_exit_is_told_of(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_SECONDS_TO_EXIT", 0.1)
    assert main(["run", "exec:" + " ".join(fake_command("ignores-the-end")), *ONE]) == 1
    assert "note: the adapter did not exit within 2 s" in capsys.readouterr().out


def test_results_are_whole(tmp_path: Path, capsys: Captured) -> None:
    results, junit, said = (tmp_path / name for name in ("results.jsonl", "junit.xml", "said"))
    files = ["--results", str(results), "--junit", str(junit), "--transcripts", str(said)]
    globs = ["--case", f"{CASE[:20]}*after-completion", "--role", "ask-host"]
    assert main(["run", f"python:{FAKE.with_name('broken.py')}:Adapter", *globs, *files]) == 1
    lines = [json.loads(line) for line in results.read_text(encoding="ascii").splitlines()]
    first, *done, last = lines
    assert schemas.explain("results/header", first) == []
    assert schemas.explain("results/footer", last) == []
    assert first["cases"] == len(done)
    failed = [line["case"] for line in done if line["outcome"] == "failed"]
    assert last["outcomes"]["failed"] == len(failed) > 0
    assert (
        f'<testsuites name="askproof" tests="{len(done)}" failures="{len(failed)}"'
        in junit.read_text(encoding="utf-8")
    )
    written = {path.name for path in said.iterdir()}
    assert written == {f"{case.replace('/', '.')}.jsonl" for case in failed}
    capsys.readouterr()


def test_results_of_an_adapter_that_does_not_start_have_no_footer(
    tmp_path: Path, capsys: Captured
) -> None:
    files = ["--results", str(tmp_path / "results"), "--junit", str(tmp_path / "junit")]
    refused(capsys, 3, "run", "exec:true", *ONE, *files)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("results", b"")]


def test_results_of_a_run_that_is_interrupted_have_no_footer(tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.py"
    adapter.write_text(
        "import os, signal\n"
        "from askproof_reference.adapter import Adapter as Reference\n"
        "class Adapter(Reference):\n"
        "    def perform(self, params):\n"
        "        os.kill(os.getppid(), signal.SIGINT)\n"
        "        return super().perform(params)\n",
        encoding="utf-8",
    )
    results = tmp_path / "results"
    done = askproof("run", f"python:{adapter}:Adapter", *ONE, "--results", str(results))
    assert (done.returncode, done.stderr) == (130, "")
    (line,) = results.read_bytes().splitlines()
    assert json.loads(line)["type"] == "header"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("option", ["--results", "--junit"])
def test_a_full_disk_is_one_line_and_status_3(capsys: Captured, option: str) -> None:
    assert main(["run", "reference", *ONE, option, "/dev/full"]) == 3
    line = capsys.readouterr().err
    assert line == "askproof run: /dev/full: cannot be written: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_full_standard_output_is_one_line_and_status_3() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "askproof", "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 3
    assert done.stderr == b"askproof list: standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("arguments", "status", "unbuffered"),
    [
        *((what, 0, one) for what in ("--help", "run --help", "list") for one in ("", "1")),
        ("--version", 0, ""),
        (f"explain {CASE}", 0, "1"),
        (f"run reference --case {CASE}", 0, ""),  # the verdict is known when the report is lost
        (f"run {ECHOES} --case {CASE}", 1, ""),
        (f"run reference --case {CASE}", 3, "1"),  # here it is not
    ],
)
def test_a_reader_that_has_seen_enough_is_no_error(
    arguments: str, status: int, unbuffered: str
) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "-m", "askproof", *shlex.split(arguments)],
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (status, b"")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_standard_stream_is_no_error(closed: str, tmp_path: Path) -> None:
    results = tmp_path / "results"
    command = f"{sys.executable} -m askproof run {ECHOES} {ECHO_CASE} --results {results} {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert [json.loads(line)["type"] for line in results.read_bytes().splitlines()] == [
        *("header", "case", "footer")
    ]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_ends_the_adapter_and_leaves_no_half_file(tmp_path: Path, name: str) -> None:
    adapter = tmp_path / "adapter.py"
    adapter.write_text(
        "import os, signal, sys, time\n"
        "number = int(sys.argv[1])\n"
        "sys.stderr.close()\n"
        "for line in sys.stdin:\n"
        "    if 'initialize' in line:\n"
        "        sys.stdout.write(sys.argv[2] + '\\n'); sys.stdout.flush()\n"
        "    else:\n"
        "        open('pid', 'w').write(str(os.getpid())); os.kill(os.getppid(), number)\n"
        "        time.sleep(60)\n",
        encoding="utf-8",
    )
    number = getattr(signal, name)
    declared: dict[str, object] = {
        "protocol": 1,
        "implementation": {"name": "x", "version": "1", "language": "python"},
        "namespace": "@x/y",
        "roles": {"ask-host": {"capabilities": ["tui"]}},
    }
    answer = json.dumps({"jsonrpc": "2.0", "id": 1, "result": declared})
    command = shlex.join([sys.executable, str(adapter), str(number.value), answer])
    done = subprocess.run(
        [sys.executable, "-m", "askproof", "run", f"exec:{command}", *ONE, "--junit", "junit"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (128 + number, "")
    assert is_gone(int((tmp_path / "pid").read_text(encoding="utf-8")))
    assert not (tmp_path / "junit").exists()


def test_a_signal_ends_the_run_and_is_no_crash(tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.py"
    adapter.write_text(
        "import os, signal\n"
        "from askproof_reference.adapter import Adapter as Reference\n"
        "class Adapter(Reference):\n"
        "    def perform(self, params):\n"
        "        os.kill(os.getppid(), signal.SIGTERM)\n"
        "        return super().perform(params)\n",
        encoding="utf-8",
    )
    done = askproof("run", f"python:{adapter}:Adapter", *ONE)
    assert (done.returncode, done.stderr) == (143, "")
    ignoring = f"trap '' TERM; exec {sys.executable} -m askproof run python:{adapter}:Adapter"
    ended = subprocess.run(
        ["bash", "-c", f"{ignoring} --case {CASE}"], check=False, stdout=subprocess.DEVNULL
    )
    assert ended.returncode == 0


def test_what_the_kit_does_not_know_is_told_at_the_start(tmp_path: Path, capsys: Captured) -> None:
    adapter = tmp_path / "misspelt.py"
    adapter.write_text(
        "from askproof_reference.adapter import Adapter as Reference\n"
        "class Adapter(Reference):\n"
        "    def initialize(self, params):\n"
        "        said = super().initialize(params)\n"
        "        host = {'capabilities': ['virtualtime', 'x\x1b'], 'variants': {'after-abrt': 1}}\n"
        "        return said | {'roles': {'ask-host': host, 'bridge': {}}}\n"
        "class Nobody(Adapter):\n"
        "    def initialize(self, params):\n"
        "        return super().initialize(params) | {'roles': {'host': None}}\n",
        encoding="utf-8",
    )
    start = "the adapter declares the"
    end = "which this kit does not know"
    assert main(["run", f"python:{adapter}:Adapter", *ONE]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"askproof run: {start} role 'bridge', {end}; did you mean ask-bridge?",
        f"askproof run: {start} capability 'virtualtime', {end}; did you mean virtual-time?",
        f"askproof run: {start} capability 'x\\x1b', {end}",
        f"askproof run: {start} variant 'after-abrt', {end}; did you mean after-abort?",
    ]
    assert main(["replay", CASE, f"python:{adapter}:Nobody"]) == 1
    none = "askproof replay: the adapter declares no role that this kit knows; these are"
    assert capsys.readouterr().err.splitlines() == [
        f"askproof replay: {start} role 'host', {end}; did you mean ask-host?",
        f"{none} {', '.join(ROLES)}",
    ]


def test_a_wrong_case_of_the_kit_is_one_line_and_status_3(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases, "CASES", tmp_path)
    monkeypatch.setattr(cases, "case_ids", lambda: ("tests/ask-host/sound",))
    file = tmp_path / "tests" / "ask-host" / "sound.json"
    file.parent.mkdir(parents=True)
    source = make_case(ECHO).source
    wrong = {**source, "steps": [{**ECHO, "shows": ["EVT-050", "EVT-999"]}]}
    file.write_text(json.dumps(wrong), encoding="utf-8")
    assert refused(capsys, 3, "run", ECHOES_UNQUOTED).endswith(
        ": there is no requirement EVT-999\n"
    )
    unbound = {**source, "steps": [ECHO, {**ECHO, "do": {"emit": {"channel": "x", "data": "$y"}}}]}
    file.write_text(json.dumps(unbound), encoding="utf-8")
    assert main(["run", ECHOES_UNQUOTED]) == 3
    line = capsys.readouterr().err
    assert line.endswith("sound: step 2 uses $y, which nothing before it binds\n")


def test_no_folder_is_left_where_there_is_no_transcript(tmp_path: Path, capsys: Captured) -> None:
    assert main(["run", "reference", *ONE, "--transcripts", str(tmp_path / "said")]) == 0
    assert [*tmp_path.iterdir()] == []
    capsys.readouterr()


def view(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The suite as tests of pytest."""
    suite = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--pyargs", "askproof.suite"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *suite, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_pytest_in_which_nothing_was_verified_is_no_success() -> None:
    done = view("--askproof", ECHOES_UNQUOTED, "-k", "ask-bridge and after-completion")
    assert done.returncode == 1
    assert "\naskproof: nothing was verified: every case was skipped\n" in done.stdout
    done = view("--askproof", "reference", "-k", "ask-bridge and after-completion")
    assert (done.returncode, "nothing was verified" in done.stdout) == (0, False)


def test_pytest_demands_what_the_level_demands() -> None:
    should = view("--askproof", "reference", "--collect-only")
    must = view("--askproof", "reference", "--collect-only", "--askproof-level", "must")
    assert 0 < must.stdout.count("::") < should.stdout.count("::")


def test_list_lists_what_is_selected(capsys: Captured) -> None:
    assert main(["list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in rows] == list(cases.case_ids())
    assert main(["list", "roles"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(ROLES)
    assert main(["list", "requirements", "--json", "--level", "must", "--role", "ask-bridge"]) == 0
    assert {"ask-bridge"} == {
        role for row in json.loads(capsys.readouterr().out) for role in row["roles"]
    }
    assert main(["list", *ONE]) == 0
    assert capsys.readouterr().out.startswith(CASE)


def test_explain_explains_a_requirement_and_a_case(capsys: Captured) -> None:
    assert main(["explain", "EVT-071"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("EVT-071 (MUST) for ask-host\n")
    assert CASE in text
    assert main(["explain", CASE]) == 0
    assert "step 3\n  do  " in capsys.readouterr().out


def test_the_help_names_every_command(capsys: Captured) -> None:
    assert main(["--help"]) == main(["-h"]) == 0
    out = capsys.readouterr().out
    assert [name for name in COMMANDS if f"\n  {name} " not in out] == []
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"askproof {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_a_module(name: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([name, "--help"])
    assert capsys.readouterr().out.startswith(f"usage: askproof {name} ")
    assert callable(import_module(f"askproof.commands.{name.replace('-', '_')}").command)


def test_the_help_imports_nothing_that_is_slow() -> None:
    code = "import sys; from askproof.__main__ import main; main(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    assert {"argparse", "json", "dataclasses", "askproof.errors"} & {*loaded} == set()


def test_serve_keeps_the_standard_output_for_responses(tmp_path: Path) -> None:
    talker = tmp_path / "talker.py"
    talker.write_text(
        "import os, subprocess, sys\n"
        "print('imported')\n"
        "from askproof_reference.adapter import Adapter as Reference\n"
        "class Adapter(Reference):\n"
        "    def perform(self, params):\n"
        "        print('printed'); os.write(1, b'written'); subprocess.run(['echo', 'child'])\n"
        "        assert sys.stdin.read() == ''\n"
        "        return super().perform(params)\n",
        encoding="utf-8",
    )
    command = f"{sys.executable} -m askproof serve python:{talker}:Adapter"
    done = askproof("run", f"exec:{command}", *ONE)
    assert (done.returncode, done.stderr) == (0, "")
