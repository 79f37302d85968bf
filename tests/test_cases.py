"""The cases of the kit: each is well made, and together they show what is demanded."""

import json

import pytest

from askproof import case as cases
from askproof import lint, schemas
from askproof.match import KINDS
from askproof.specification import ROLES, catalogue

CONTRACTS = sorted(path.name for path in cases.CASES.iterdir() if path.is_dir())
IDS = cases.case_ids()
every_contract = pytest.mark.parametrize("contract", CONTRACTS)


@pytest.mark.parametrize("case_id", IDS)
def test_a_case_is_well_made(case_id: str) -> None:
    assert lint.problems(cases.CASES / f"{case_id}.json") == []


def test_no_two_cases_are_the_same() -> None:
    seen: dict[str, str] = {}
    for case_id in IDS:
        case = cases.load(case_id)
        steps = json.dumps([case.role, case.variants, case.source["steps"]], sort_keys=True)
        assert seen.setdefault(steps, case_id) == case_id


@every_contract
def test_every_fixture_is_used(contract: str) -> None:
    assert lint.unused(contract) == []


@every_contract
def test_fixtures_are_well_made(contract: str) -> None:
    for path in sorted((cases.CASES / contract / "fixtures").glob("*.json")):
        assert schemas.explain("fixtures", json.loads(path.read_bytes())) == [], path.name


@pytest.mark.parametrize("level", ["must", "should"])
@pytest.mark.parametrize("role", ROLES)
def test_every_demand_is_shown_by_a_case(role: str, level: str) -> None:
    shown = {ident for case_id in IDS for ident in cases.load(case_id).shows}
    demands = [one for one in catalogue().values() if role in one.roles and one.level == level]
    missing = [one.id for one in demands if one.id not in shown]
    assert missing == [], f"no case has an explicit `shows` for: {', '.join(missing)}"


@every_contract
def test_the_blame_table_is_well_made(contract: str) -> None:
    table = cases.blame_table(contract)
    assert schemas.explain("blame", table) == []
    for role, parts in table.items():
        lists = [*parts["unexpected"].values()]
        lists += [ids for entries in parts["kinds"].values() for ids in entries.values()]
        for ident in (one for ids in lists for one in ids):
            assert ident in catalogue()
            assert role in catalogue()[ident].roles


@pytest.mark.parametrize(
    ("contract", "role"), [(one, role) for one in CONTRACTS for role in cases.blame_table(one)]
)
def test_the_blame_table_knows_every_kind_of_observation(contract: str, role: str) -> None:
    schema = schemas.load(f"adapter/{role}-observation")
    # What is said beside the decisions is observed for its secrets only: nobody expects it.
    kinds = {kind["required"][0] for kind in schema["oneOf"]} - {"said"}
    assert kinds <= {*KINDS}
    for part in ("kinds", "unexpected"):
        known = {name.partition(":")[0] for name in cases.blame_table(contract)[role][part]}
        assert known == kinds
