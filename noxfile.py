"""The checks of this project: `nox` runs all that must pass, `nox --list` names them.

Versions, pins and dependencies come from `pyproject.toml`; nothing is listed twice.
"""

import re
import shlex
import shutil
import tempfile
from pathlib import Path

import nox

nox.needs_version = ">=2025.10.14"
nox.options.default_venv_backend = "uv|virtualenv"
# An interpreter that is not here is skipped, and the summary says so, on CI too.
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False

PYPROJECT = nox.project.load_toml("pyproject.toml")
PROJECT = PYPROJECT["project"]
PYTHONS = nox.project.python_versions(PYPROJECT)

# The command that an example tells its reader to type, alone on a line of a comment or a page.
EXAMPLE_COMMAND = re.compile(r"^[\s#/*$]*(askproof run \S.*?)\s*$", re.MULTILINE)

# The Pi that the session `pi` drives extensions with.
PI = "@earendil-works/pi-coding-agent@1.6.0"


def group(name: str) -> tuple[str, ...]:
    """Return the requirements of one dependency group."""
    return nox.project.dependency_groups(PYPROJECT, name)


def lowest(requirement: str) -> str:
    """Pin a requirement to its lower bound; one without such a bound is an error."""
    name, bound = requirement.split(">=")
    return f"{name}=={bound}"


def distributions(session: nox.Session) -> Path:
    """Return the folder through which `build` hands its results on."""
    return (session.cache_dir / "dist").resolve()


@nox.session
def lint(session: nox.Session) -> None:
    """Look for mistakes and untidy code."""
    session.install(*group("lint"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check", "--diff")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types, strictly."""
    session.install(*PROJECT["dependencies"], *group("types"))
    session.run("mypy")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests on the installed project; what follows `--` goes to pytest."""
    session.install(".", *group("test"))
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session) -> None:
    """Run the tests with the oldest Python and the oldest dependencies that are supported."""
    required = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["models"]
    session.install(".", *map(lowest, required), *group("test"))
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session
def examples(session: nox.Session) -> None:
    """Run what the documentation shows, and every adapter in examples/, from the checkout."""
    session.install("--editable", ".", *group("test"))
    session.run("pytest", "tests/documentation")
    pages = (page for page in Path("examples").rglob("*.*") if "node_modules" not in page.parts)
    commands = {
        command
        for page in pages
        if page.is_file()
        for command in EXAMPLE_COMMAND.findall(page.read_text(encoding="utf-8"))
    }
    if not commands:
        session.error("No file in examples/ has a line `askproof run ADAPTER`: none was run.")
    for command in sorted(commands):
        if " pi:" in command:
            session.log(f"Left to the session pi: {command}")
        elif "exec:node " in command and shutil.which("node") is None:
            session.warn(f"Skipped, since there is no node here: {command}")
        else:
            session.run(*shlex.split(command))


@nox.session
def power(session: nox.Session) -> None:
    """Show that the suite notices: coverage, mutants, and what passes for nothing."""
    session.install(".")
    for proof in ("coverage", "mutants", "null-score"):
        session.run("askproof", proof)


@nox.session(default=False)
def pi(session: nox.Session) -> None:
    """Drive extensions through the real Pi, fetched once; what follows `--` goes to pytest."""
    session.install(".", *group("pi"))
    folder = (session.cache_dir / PI.replace("/", "-")).resolve()
    if not (folder / "node_modules").is_dir():
        fetch = ("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts")
        session.run(*fetch, "--prefix", str(folder), PI)
    env = {"ASKPROOF_PI": str(folder)}
    session.run("pytest", "tests/pi", "tests/documentation", *session.posargs, env=env)


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Measure the promised figures, as ratios; writes bench.json."""
    session.install(".", *group("test"))
    # With byte code, as pip leaves an installed package: the first runs write it, and do not count.
    session.run("python", "tests/bench/measure.py", env={"PYTHONDONTWRITEBYTECODE": None})


@nox.session(default=False)
def build(session: nox.Session) -> None:
    """Build the source distribution, and the wheel from it."""
    shutil.rmtree(distributions(session), ignore_errors=True)
    session.install(*group("build"))
    session.run("python", "-m", "build", "--outdir", str(distributions(session)))


@nox.session(requires=["build"])
def wheel(session: nox.Session) -> None:
    """Run the kit from its wheel, in an environment with nothing else, away from the checkout."""
    [built] = distributions(session).glob("*.whl")
    session.install(str(built))
    with tempfile.TemporaryDirectory() as away, session.chdir(away):
        session.run("askproof", "--version")
        session.run("askproof", "list")
        session.run("askproof", "run", "reference")
