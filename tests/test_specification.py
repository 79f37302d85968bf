"""The prose of `spec/`: its form, its clauses, and what it must not say outside of requirements."""

import re
from pathlib import Path

import pytest

from askproof.case import case_ids, load
from askproof.errors import InternalError
from askproof.schemas import data_folder
from askproof.specification import ROLES, _requirements, catalogue, clauses

PAGES = sorted(data_folder("spec").glob("*.md"))
GOOD = "### EVT-900\n> A host **MUST** wait.\n\nRoles: ask-host. Source: events-01.\n\nWhy.\n"


def test_every_clause_is_covered_or_excluded_with_a_reason() -> None:
    covered = {clause for one in catalogue().values() for clause in one.clauses}
    for ident, clause in clauses().items():
        assert (ident in covered) != bool(clause.excluded), ident
    assert covered <= set(clauses())


def test_the_ids_of_the_events_clauses_run_from_1_to_42() -> None:
    numbers = [int(ident[-2:]) for ident in clauses() if ident.startswith("events-")]
    assert numbers == list(range(1, 43))


def test_every_must_and_should_has_a_case_that_names_it() -> None:
    named = {ident for case in map(load, case_ids()) for ident in case.shows}
    demanded = {r.id for r in catalogue().values() if r.level != "may" and r.roles != ("adapter",)}
    assert sorted(demanded - named) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_keywords_stand_only_in_requirements(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for line in text.split("\n"):
        if re.search(r"\b(MUST|SHALL|SHOULD|MAY)\b", line) and page.stem != "conventions":
            assert line.startswith("> "), line


def test_a_requirement_has_a_keyword_that_fits_its_level() -> None:
    for one in catalogue().values():
        assert f"**{one.level.upper()}" in one.text
        assert set(one.roles) <= {*ROLES, "adapter"}, one.id


@pytest.mark.parametrize(
    "wrong",
    [
        GOOD.replace("**MUST**", "must"),
        GOOD.replace("wait", "wait, and **SHOULD** hope"),
        GOOD.replace("Roles: ask-host. ", ""),
        GOOD.replace("\n\nRoles", "\n> Twice.\n\nRoles"),
    ],
    ids=["no keyword", "two keywords", "no roles", "two quotes"],
)
def test_a_requirement_of_another_form_is_refused(tmp_path: Path, wrong: str) -> None:
    page = tmp_path / "chapter.md"
    page.write_text(GOOD, encoding="utf-8")
    assert [one.id for one in _requirements(page)] == ["EVT-900"]
    page.write_text(wrong, encoding="utf-8")
    with pytest.raises(InternalError, match=r"chapter\.md:1: a requirement is a heading"):
        list(_requirements(page))
