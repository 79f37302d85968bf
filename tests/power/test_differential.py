"""The schemas, by either validator, and the pydantic models of the reference mean the same.

That the two validators agree on near misses of every schema is shown in `tests/test_schemas.py`.
"""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import assume, given
from pydantic import ValidationError
from referencing import Registry, Resource

from askproof import schemas
from askproof_reference.models import MODELS, validate
from tests.documentation.test_specification_examples import EXAMPLES as FENCED
from tests.test_schemas import EXAMPLES, READINGS, VALID, mutated

REGISTRY: Registry[Any] = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema))
    for name in schemas.names()
    for schema in (schemas.load(name, reading) for reading in READINGS)
)


def schema_of(name: str) -> str:
    """The schema that a model means; those of events have no contract in their name."""
    return name if "/" in name else f"events/{name}"


def example_files() -> list[Any]:
    return [
        pytest.param(name, path, id=f"{name}/{path.parent.name}/{path.stem}")
        for name in MODELS
        for path in sorted((EXAMPLES / schema_of(name)).glob("*/*.json"))
    ]


def verdicts(name: str, record: Any, reading: schemas.Reading) -> dict[str, bool]:
    """Whether each of them takes a record, asked in the plainest way."""
    schema = schema_of(name)
    plain: Any = jsonschema.Draft202012Validator(schemas.load(schema, reading), registry=REGISTRY)
    return {
        "jsonschema": plain.is_valid(record),
        "jsonschema-rs": schemas.is_valid(schema, record, reading),
        "explained": schemas.explain(schema, record, reading) == [],
        "model": is_taken(name, record, reading),
    }


def is_taken(name: str, record: Any, reading: schemas.Reading) -> bool:
    try:
        validate(name, record, reading)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(("name", "path"), example_files())
def test_they_agree_on_an_example(name: str, path: Path, reading: schemas.Reading) -> None:
    example = json.loads(path.read_bytes())
    valid = path.parent.name == "valid"
    found = verdicts(name, example if valid else example["record"], reading)
    assert len({*found.values()}) == 1, found
    if reading == "writer":
        assert found["model"] == valid


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(("what", "text"), FENCED)
def test_they_agree_on_an_example_of_the_specification(
    what: str, text: str, reading: schemas.Reading
) -> None:
    schema, _, requirement = what.partition(" refused by ")
    found = verdicts(schema.removeprefix("events/"), json.loads(text), reading)
    assert len({*found.values()}) == 1, found
    # What only its form or another record can refuse, the reference refuses.
    assert found["model"] or requirement


def has_fraction(record: Any) -> bool:
    """Whether there is a number like 1.0, which is an integer for a schema and for no model."""
    if isinstance(record, dict | list):
        return any(map(has_fraction, record.values() if isinstance(record, dict) else record))
    return isinstance(record, float)


MODELLED = [(name, record) for name, record in VALID if name.removeprefix("events/") in MODELS]


@given(mutated(MODELLED))
def test_the_models_take_what_the_schemas_take_and_nothing_else(case: tuple[str, Any]) -> None:
    name, record = case
    assume(not has_fraction(record))
    for reading in READINGS:
        found = verdicts(name.removeprefix("events/"), record, reading)
        assert len({*found.values()}) == 1, found


def test_there_is_something_to_agree_on() -> None:
    found = [each.values for each in example_files()]
    kinds = {(name, path.parent.name) for name, path in found}
    assert kinds == {(name, kind) for name in MODELS for kind in ("valid", "invalid")}
    assert {schema_of(name) for name in MODELS} == {name for name, _ in MODELLED}
    assert {what.split()[0].removeprefix("events/") for what, _ in FENCED} <= MODELS.keys()
