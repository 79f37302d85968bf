"""Results as JUnit XML, in which CI systems find failures, errors and skips where they look."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from askproof.shown import printable, sides
from askproof.specification import ROLES, catalogue

if TYPE_CHECKING:
    from askproof.engine import CaseResult
    from askproof.session import Handshake

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
    message = printable(result.message)
    if result.outcome == "not-applicable":
        ET.SubElement(test, "skipped", message=message)
    elif result.outcome == "failed":
        kind = " ".join(result.blames)
        ET.SubElement(test, "failure", message=message, type=kind).text = _text(result)
    elif result.outcome in _ERRORS:
        ET.SubElement(test, "error", message=message, type=result.outcome).text = _text(result)


def _text(result: CaseResult) -> str:
    broken = [f"{ident}: {printable(catalogue()[ident].plain)}" for ident in result.blames]
    lines = [printable(result.case.why), *broken]
    for one in result.differences:
        expected, observed = sides(one, 200)
        where = printable(one.pointer) or "(whole)"
        lines.append(f"{where}: expected {expected}, observed {observed}")
    return "\n".join(lines)
