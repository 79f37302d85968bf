"""The schemas obey their authoring rules, their examples hold, and the two validators agree."""

import copy
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askproof import schemas
from askproof.errors import InternalError

NAMES = schemas.names()
EXAMPLES = schemas.data_folder("schemas") / "examples"
READINGS: tuple[schemas.Reading, ...] = ("writer", "reader")
WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
# The members whose own members are data: question ids, option values, what a writer knows.
MAPS = {"answers", "optionNotes", "preservedAnswers", "questionStates", "metadata"}
CONTRACTS = ("events/", "receipts/", "journal/")


def example_files(kind: str) -> list[Any]:
    return [
        pytest.param(name, path, id=f"{name}/{path.stem}")
        for name in NAMES
        for path in sorted((EXAMPLES / name / kind).glob("*.json"))
    ]


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


VALID = [(name, read(path)) for name, path in (each.values for each in example_files("valid"))]
every_schema = pytest.mark.parametrize("name", NAMES)
every_reading = pytest.mark.parametrize("reading", READINGS)


# Examples


@every_schema
@pytest.mark.parametrize("kind", ["valid", "invalid"])
def test_every_schema_has_examples_of_both_kinds(name: str, kind: str) -> None:
    assert list((EXAMPLES / name / kind).glob("*.json"))


def test_every_example_belongs_to_a_schema() -> None:
    folders = {path.parent for path in EXAMPLES.rglob("*.json")}
    assert {folder.name for folder in folders} == {"valid", "invalid"}
    assert {folder.parent.relative_to(EXAMPLES).as_posix() for folder in folders} <= set(NAMES)


@every_reading
@pytest.mark.parametrize(("name", "path"), example_files("valid"))
def test_valid_example_is_accepted(name: str, path: Path, reading: schemas.Reading) -> None:
    assert schemas.explain(name, read(path), reading) == []


@pytest.mark.parametrize(("name", "path"), example_files("invalid"))
def test_invalid_example_is_refused_for_the_reason_it_names(name: str, path: Path) -> None:
    example = read(path)
    assert {"record", "keyword", "pointer"} <= example.keys()
    assert example.keys() <= {"record", "keyword", "pointer", "reading"}
    reading = example.get("reading", "writer")
    assert not schemas.is_valid(name, example["record"], reading)
    problems = schemas.explain(name, example["record"], reading)
    assert {(p.keyword, p.pointer) for p in problems} == {(example["keyword"], example["pointer"])}
    if name.startswith(CONTRACTS):
        # A reader forgives unknown members, and nothing else.
        forgiven = example["keyword"] == "additionalProperties"
        assert schemas.is_valid(name, example["record"], "reader") == forgiven


# Authoring rules


@every_schema
def test_schema_fits_the_meta_schema(name: str) -> None:
    for reading in READINGS:
        schema = schemas.load(name, reading)
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema_rs.meta.validate(schema)


@every_schema
def test_schema_names_itself_independently_of_where_it_lies(name: str) -> None:
    schema = schemas.load(name)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == "urn:askproof:" + name.replace("/", ":")
    assert schemas.load(name, "reader")["$id"] == "urn:askproof:reader:" + name.replace("/", ":")


@every_schema
@every_reading
def test_every_reference_resolves_offline(name: str, reading: schemas.Reading) -> None:
    prefix = schemas.load(name, reading)["$id"].removesuffix(name.replace("/", ":"))
    for each in schemas.subschemas(schemas.load(name, reading)):
        if "$ref" not in each:
            continue
        urn, _, fragment = each["$ref"].partition("#")
        assert urn.startswith(prefix)
        target: Any = schemas.load(urn.removeprefix(prefix).replace(":", "/"), reading)
        assert target["$id"] == urn
        for step in fragment.split("/")[1:]:
            target = target[step]
    schemas.is_valid(name, None, reading)


@every_schema
def test_schema_uses_no_keyword_that_validators_differ_on(name: str) -> None:
    banned = {"if", "then", "else", "$dynamicRef", "$dynamicAnchor", "$anchor", "format"}
    # The reader reading is derived by a walk that does not know these.
    unwalked = {"additionalItems", "definitions", "dependencies", "contentSchema"}
    for each in schemas.subschemas(schemas.load(name)):
        assert not (banned | unwalked) & each.keys()
        assert isinstance(each.get("unevaluatedProperties", False), bool)


@every_schema
def test_patterns_mean_the_same_everywhere(name: str) -> None:
    for each in schemas.subschemas(schemas.load(name)):
        for pattern in [*each.get("patternProperties", {}), each.get("pattern", "^")]:
            assert re.search(r"^\^|\$$", pattern), "neither end is anchored"
            assert not re.search(r"\\[dDwWsSbBpP]", pattern), "a class that depends on the engine"
        # In Python `$` also matches before a final newline: harmless where that newline is refused.
        refused = each.get("not", {}).get("pattern", "")
        if "$" in refused:
            assert r"\u0009-\u000d" in refused


@every_schema
def test_every_object_is_closed_for_writers_only(name: str) -> None:
    for each in schemas.subschemas(schemas.load(name)):
        if each.get("type") == "object" and each.get("maxProperties") != 0:
            is_map = "properties" not in each and "additionalProperties" in each
            closing = ("additionalProperties", "unevaluatedProperties")
            assert is_map or any(each.get(keyword) is False for keyword in closing)
    for each in schemas.subschemas(schemas.load(name, "reader")):
        assert each.get("additionalProperties") is not False
        assert each.get("unevaluatedProperties") is not False


@every_schema
def test_schema_and_members_are_described_in_one_line(name: str) -> None:
    schema = schemas.load(name)
    descriptions = [schema["title"], schema["description"]]
    for each in schemas.subschemas(schema):
        if each.get("type") == "object":
            members = each.get("properties", {}).values()
            descriptions += [member["description"] for member in members if member is not False]
    assert all(text.strip() == text != "" and "\n" not in text for text in descriptions)


@every_schema
def test_kinds_exclude_each_other_by_their_tags(name: str) -> None:
    for each in schemas.subschemas(schemas.load(name)):
        for one, other in combinations(each.get("oneOf", []), 2):
            assert excluded_by_tag(one, other) or excluded_by_tag(other, one)


def excluded_by_tag(one: schemas.Schema, other: schemas.Schema) -> bool:
    """Whether a record of one kind bears a tag that the other kind refuses."""
    constants, members = schemas._tags(other), other.get("properties", {})
    closed = other.get("additionalProperties") is False
    return any(constants.get(path, tag) != tag for path, tag in schemas._tags(one).items()) or any(
        members.get(name, not closed) is False for name in one.get("required", [])
    )


# Readings


@pytest.mark.parametrize(("name", "path"), example_files("valid"))
def test_reader_accepts_an_unknown_member_in_every_object(name: str, path: Path) -> None:
    for pointer in [pointer for pointer, node in nodes(read(path)) if isinstance(node, dict)]:
        record = read(path)
        at(record, pointer)["xLater"] = [None, {"xLater": "\u202e"}]
        text = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in pointer)
        problems = [(p.pointer, p.keyword) for p in schemas.explain(name, record)]
        if problems == [(text, "additionalProperties")]:
            assert schemas.explain(name, record, "reader") == []
        elif name.startswith(CONTRACTS):
            anything = ("events/answer-rows", "journal/old-decision")
            assert name in anything or {*pointer[-1:]} & MAPS


def test_a_reader_takes_every_decision_that_a_writer_may_write() -> None:
    decisions = [record for name, record in VALID if name == "journal/decision"]
    assert decisions
    for reading in READINGS:
        assert all(schemas.is_valid("journal/old-decision", one, reading) for one in decisions)


def nodes(record: Any, pointer: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield pointer, record
    if isinstance(record, dict | list):
        for step, child in record.items() if isinstance(record, dict) else enumerate(record):
            yield from nodes(child, (*pointer, step))


def at(record: Any, pointer: tuple[Any, ...]) -> Any:
    for step in pointer:
        record = record[step]
    return record


# The two validators

STRANGE: list[Any] = [
    *(None, True, False, 0, 1, -1, 1.0, 1.5, -0.0, 10**30, 2**53 + 1, 1e300),
    *("", " ", "x ", "x\n", "\u0085", "\x00", "\ud800", "submit", "multi", "tool", "answer", "٣"),
    *("human", "automatic", "none", "answered", "timed-out", "cancelled", "text", "secret"),
    *([], {}, [[]], [1, 1.0], [True, 1], ["a", "a"], {"handle": "open"}, {"kind": "option"}),
]
MEMBERS = [
    *("error", "note", "type", "presentedType", "values", "mode", "__proto__", "\udfff", ""),
    *("answer", "kind", "multi", "sensitivity", "answerSource", "timeoutMs", "questions", "value"),
]


@st.composite
def mutated(draw: st.DrawFn, examples: list[tuple[str, Any]]) -> tuple[str, Any]:
    name, record = copy.deepcopy(draw(st.sampled_from(examples)))
    for _ in range(draw(st.integers(1, 3))):
        pointer, node = draw(st.sampled_from(list(nodes(record))))
        strange = copy.deepcopy(draw(st.sampled_from(STRANGE) | st.text(max_size=3)))
        if isinstance(node, dict) and draw(st.booleans()):
            node[draw(st.sampled_from(MEMBERS))] = strange
        elif isinstance(node, list) and draw(st.booleans()):
            node.append(draw(st.sampled_from([*node, strange])))
        elif not pointer:
            record = strange
        elif draw(st.booleans()):
            del at(record, pointer[:-1])[pointer[-1]]
        else:
            at(record, pointer[:-1])[pointer[-1]] = strange
    return name, record


@given(mutated(VALID))
def test_validators_agree_on_near_misses(case: tuple[str, Any]) -> None:
    name, record = case
    # Where the validators disagree, `explain` raises.
    refused = {reading: schemas.explain(name, record, reading) for reading in READINGS}
    assert not refused["reader"] or refused["writer"], "a reader refuses what a writer may emit"
    for problem in refused["writer"] + refused["reader"]:
        assert problem.keyword
        assert len(problem.message) <= 200
        assert problem.message.isprintable()


@given(st.text(st.sampled_from(WHITE_SPACE + "a\u0085\u180e\u200b\x1c\x00\U0001f680"), max_size=5))
def test_white_space_is_what_ecmascript_trims(text: str) -> None:
    trimmed = text.strip(WHITE_SPACE)
    assert (schemas.explain("events/trimmed-text", text) == []) == (trimmed == text != "")
    assert (schemas.explain("events/non-blank-text", text) == []) == (trimmed != "")


def test_disagreement_is_an_error_of_the_kit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas, "is_valid", lambda *_: True)
    assert schemas.explain("events/source", "tool") == []
    with pytest.raises(InternalError, match=r"disagree on events/source, as writer: .*enum"):
        schemas.explain("events/source", "phone")


# Hostile records


@pytest.mark.parametrize("levels", [65, 100_000])
def test_deep_record_is_refused_before_it_is_validated(levels: int) -> None:
    record: Any = {}
    for _ in range(levels - 1):
        record = {"xLater": record}
    for reading in READINGS:
        [problem] = schemas.explain("events/answer", record, reading)
        assert (problem.pointer, problem.keyword) == ("", "depth")
        assert not schemas.is_valid("events/answer", record, reading)


def test_record_of_64_levels_is_validated() -> None:
    record: Any = []
    for _ in range(62):
        record = [record]
    assert schemas.explain("events/answer", {"xLater": record}, "reader") == []
    assert [p.keyword for p in schemas.explain("events/answer", {"values": record})] == ["type"]


def test_lone_surrogate_is_a_character_like_any_other() -> None:
    record = {"values": ["\ud800", "\udfff"], "optionNotes": {"\udfff": "\ud800"}}
    assert schemas.explain("events/answer", record) == []
    record["values"] = ["\ud800", "\ud801", "\ud800"]
    [problem] = schemas.explain("events/answer", record)
    assert problem.keyword == "uniqueItems"


def test_message_is_bounded_printable_and_still_says_what_is_wrong() -> None:
    [problem] = schemas.explain("events/answer", {"values": "\u202e" + "x" * 100_000})
    assert problem.message.endswith("… is not of type 'array'")
    assert problem.message.isprintable()
    [problem] = schemas.explain("events/answer", {"x" * 100_000: 1})
    assert len(problem.message) == 200
    [problem] = schemas.explain("events/option", {"value": "x\n", "label": "x"})
    assert problem.message == r"'x\n' is not trimmed, non-blank text"


def test_number_of_problems_is_bounded() -> None:
    assert len(schemas.explain("events/answer", {"values": [*range(1000)]})) == 20


# The loader


def test_unknown_names_are_errors_of_the_kit() -> None:
    with pytest.raises(InternalError, match="no schema is named 'events/nope'"):
        schemas.load("events/nope")
    with pytest.raises(InternalError, match="the data folder 'nope' is missing"):
        schemas.data_folder("nope")


def test_installed_data_comes_before_that_of_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "askproof"
    (tmp_path / "spec").mkdir()
    monkeypatch.setattr(schemas, "__file__", str(package / "schemas.py"))
    assert schemas.data_folder("spec") == tmp_path / "spec"
    (package / "_data" / "spec").mkdir(parents=True)
    assert schemas.data_folder("spec") == package / "_data" / "spec"


def test_validators_are_imported_only_when_they_are_needed() -> None:
    script = """
import sys
from askproof import schemas
assert not {"jsonschema", "jsonschema_rs", "referencing"} & sys.modules.keys()
assert schemas.is_valid("events/source", "tool")
assert "jsonschema_rs" in sys.modules
assert not {"jsonschema", "referencing"} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", script], check=True)
