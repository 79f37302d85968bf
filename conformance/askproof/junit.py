"""Results as JUnit XML, in which CI systems find failures, errors and skips where they look."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from askproof.shown import printable, sides, value
from askproof.specification import ROLES, catalogue

if TYPE_CHECKING:
    from askproof.engine import CaseResult
    from askproof.session import Handshake

_WIDTH = 200
_ERRORS = ("crashed", "timed-out", "protocol-error")


def document(done: list[CaseResult], handshake: Handshake) -> str:
    """One suite a role, one test a case; what is not printable is written as escapes."""
    top = ET.Element("testsuites", {"name": "askproof", **_counts(done)})
    for role in ROLES:
        mine = [result for result in done if result.case.role == role]
        if not mine:
            continue
        suite = ET.SubElement(top, "testsuite", {"name": role, **_counts(mine)})
        properties = ET.SubElement(suite, "properties")
        for name in ("name", "version", "language"):
            about = printable(handshake.implementation[name])
            ET.SubElement(properties, "property", name=f"implementation.{name}", value=about)
        for result in mine:
            _case(suite, result)
    ET.indent(top)
    return ET.tostring(top, encoding="unicode") + "\n"


def _counts(done: list[CaseResult]) -> dict[str, str]:
    return {
        "tests": str(len(done)),
        "failures": str(sum(result.outcome == "failed" for result in done)),
        "errors": str(sum(result.outcome in _ERRORS for result in done)),
        "skipped": str(sum(result.outcome == "not-applicable" for result in done)),
    }


def _case(suite: ET.Element, result: CaseResult) -> None:
    folder, _, name = result.case.id.rpartition("/")
    test = ET.SubElement(suite, "testcase", classname=folder.replace("/", "."), name=name)
    message = printable(_message(result))
    if result.outcome == "not-applicable":
        ET.SubElement(test, "skipped", message=message)
    elif result.outcome == "failed":
        kind = " ".join(result.blames)
        ET.SubElement(test, "failure", message=message, type=kind).text = _text(result)
    elif result.outcome in _ERRORS:
        ET.SubElement(test, "error", message=message, type=result.outcome).text = _text(result)


def _message(result: CaseResult) -> str:
    """The line that CI systems show in their lists: the step, and the rule or the fault."""
    if result.step is None:
        return result.message
    if result.outcome != "failed":
        return f"step {result.step}: {result.message}"
    return f"step {result.step}: {_sentence(result.blames[0])}" if result.blames else result.message


def _sentence(ident: str) -> str:
    return f"{ident}: {catalogue()[ident].plain}"


def _text(result: CaseResult) -> str:
    lines = [printable(result.case.why), *(printable(_sentence(one)) for one in result.blames)]
    if result.outcome != "failed":
        lines.append(printable(result.message))
    for name, arguments in result.sent.items():
        lines.append(f"step {result.step}  {name} {value(arguments, _WIDTH)}")
    for one in result.differences:
        expected, observed = sides(one, _WIDTH)
        where = printable(one.pointer) or "(whole)"
        lines.append(f"{where}: expected {expected}, observed {observed}")
    lines += map(printable, result.notes)
    return "\n".join(lines)
