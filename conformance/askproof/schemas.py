"""The JSON Schemas of the contracts: where they lie, their two readings, what they say of a record.

Each schema is authored in the *writer* reading, closed to members that it does not name; the open
*reader* reading is derived from it. `jsonschema-rs` decides whether a record is valid, and
`jsonschema`, far slower, explains why not. Each is imported on first use.
"""

from __future__ import annotations

import copy
import json
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from askproof.errors import InternalError
from askproof.wire import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema_rs import Draft202012Validator

Schema = dict[str, Any]
Reading = Literal["writer", "reader"]

_URNS: dict[Reading, str] = {"writer": "urn:askproof:", "reader": "urn:askproof:reader:"}
_MAPS_OF_SCHEMAS = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs"})
_LISTS_OF_SCHEMAS = frozenset({"oneOf", "anyOf", "allOf", "prefixItems"})
_SCHEMAS = frozenset({"items", "contains", "additionalProperties", "propertyNames", "not"})
_MAX_PROBLEMS = 20
_MAX_MESSAGE = 200
_MAX_EXPLAINED = 256 * 1024
_MAX_SHOWN = 80
_ABSENT = ...


class Problem(NamedTuple):
    """One reason why a record was refused.

    Attributes:
        pointer: JSON pointer (RFC 6901) to the value at fault, raw: escape it before printing it.
            What is wrong with the name of a member is the fault of the object that has it.
        keyword: the JSON Schema keyword that refused it, or `depth`.
        message: what is wrong, for people, in at most 200 printable characters.
    """

    pointer: str
    keyword: str
    message: str


def data_folder(name: str) -> Path:
    """Find a folder of data files, in the installed package or else at the top of the checkout.

    Raises:
        InternalError: there is none, so that the installation is broken.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "_data" / name, package.parents[1] / name):
        if folder.is_dir():
            return folder
    raise InternalError(f"the data folder {name!r} is missing from this installation")


def names() -> list[str]:
    """List the names of all schemas, such as `events/started`, in order."""
    folder = data_folder("schemas")
    paths = (path.relative_to(folder) for path in folder.rglob("*.json"))
    return sorted(path.with_suffix("").as_posix() for path in paths if path.parts[0] != "examples")


def load(name: str, reading: Reading = "writer") -> Schema:
    """Read the schema of that name in one of its readings, anew for each call.

    Raises:
        InternalError: no schema has that name.
    """
    path = data_folder("schemas") / f"{name}.json"
    if not path.is_file():
        raise InternalError(f"no schema is named {name!r}")
    schema: Schema = json.loads(path.read_bytes())
    return schema if reading == "writer" else reader(schema)


def reader(schema: Schema) -> Schema:
    """Derive the reader reading of a schema: open to unknown members at every level, else the same.

    Its `$id` and its references are those of the reader readings.
    """
    opened = copy.deepcopy(schema)
    for each in list(subschemas(opened)):
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            if each.get(keyword) is False:
                del each[keyword]
        for keyword in {"$id", "$ref"} & each.keys():
            each[keyword] = each[keyword].replace(_URNS["writer"], _URNS["reader"], 1)
    return opened


def subschemas(schema: Schema) -> Iterator[Schema]:
    """Yield a schema and all schemas inside it, parents first, except those that are booleans."""
    yield schema
    for keyword, value in schema.items():
        inner = [value] if keyword in _SCHEMAS else value if keyword in _LISTS_OF_SCHEMAS else []
        for each in [*value.values()] if keyword in _MAPS_OF_SCHEMAS else inner:
            if isinstance(each, dict):
                yield from subschemas(each)


def is_valid(name: str, record: object, reading: Reading = "writer") -> bool:
    """Decide whether a record fits the schema of that name.

    The record is made of what `json.loads` makes. Callers need not bound its nesting: more than
    `MAX_DEPTH` levels are refused, in both readings, before a validator sees them. A lone surrogate
    is a character like any other.

    Raises:
        InternalError: no schema has that name.
    """
    if _is_too_deep(record):
        return False
    decider = _decider(name, reading)
    try:
        return decider.is_valid(record)
    except ValueError:
        return decider.is_valid(_without_surrogates(record))


def explain(name: str, record: object, reading: Reading = "writer") -> list[Problem]:
    """Say what is wrong with a record: nothing if it fits, else up to 50 problems.

    The record is as for `is_valid`. Where a schema offers kinds told apart by tags, these are read
    first, and the problems are those of that kind alone.

    Raises:
        InternalError: no schema has that name, or the two validators disagree on the record.
    """
    if _is_too_deep(record):
        return [Problem("", "depth", f"nested deeper than {MAX_DEPTH} levels")]
    errors = islice(_explainer(name, reading).iter_errors(record), _MAX_PROBLEMS)
    problems = list(dict.fromkeys(_problem(error) for error in errors))
    if is_valid(name, record, reading) == bool(problems):
        raise InternalError(f"the validators disagree on {name}, as {reading}: {problems[:1]}")
    return problems


def reasons(name: str, record: object, reading: Reading = "writer") -> list[Problem]:
    """Explain a record that came from outside, in bounded time, whatever it is.

    As `explain`, but a record that is very large is refused without a place, and one on which the
    validators disagree as the one that decides says.
    """
    if is_valid(name, record, reading):
        return []
    if len(json.dumps(record)) > _MAX_EXPLAINED:
        return [Problem("", "size", "not as its schema demands, and too large to say where")]
    try:
        return explain(name, record, reading)
    except InternalError:
        return [Problem("", "schema", "not as its schema demands")]


def _is_too_deep(record: object) -> bool:
    containers: list[Any] = [[record]]
    for _ in range(MAX_DEPTH + 1):
        containers = [
            child
            for container in containers
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, (dict, list))
        ]
        if not containers:
            return False
    return True


def _without_surrogates(record: object) -> Any:
    """Replace each lone surrogate, which `jsonschema-rs` cannot take, by characters of its own."""
    mark = "\U0010ffff"  # doubled where it was meant, so that different texts stay different
    stand_ins = {code: mark + chr(code + 0x100000) for code in range(0xD800, 0xE000)}
    stand_ins[ord(mark)] = mark * 2
    return json.loads(json.dumps(record, ensure_ascii=False).translate(stand_ins))


def _resource(urn: str) -> Schema:
    reading: Reading = "reader" if urn.startswith(_URNS["reader"]) else "writer"
    return load(urn.removeprefix(_URNS[reading]).replace(":", "/"), reading)


@cache
def _decider(name: str, reading: Reading) -> Draft202012Validator:
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(load(name, reading), retriever=_resource)


@cache
def _explainer(name: str, reading: Reading) -> Any:
    from jsonschema import Draft202012Validator, ValidationError, validators
    from referencing import Registry, Resource
    from referencing.jsonschema import DRAFT202012

    def one_of(validator: Any, kinds: list[Schema], record: Any, schema: Schema) -> Iterator[Any]:
        left = _kinds(kinds, record)
        faults = [list(islice(validator.descend(record, kind), _MAX_PROBLEMS)) for kind in left]
        inner = [errors for errors in faults if all(error.path for error in errors)]
        if len(left) == 1 or len(inner) == 1:
            yield from (inner or faults)[0]
        else:
            yield from Draft202012Validator.VALIDATORS["oneOf"](validator, left, record, schema)

    def unique(_: Any, wanted: Any, record: Any, __: Schema) -> Iterator[Any]:
        """Look for repeats by hash: a comparison of all pairs never ends on a long list."""
        if wanted and isinstance(record, list):
            items = {json.dumps(item, sort_keys=True) for item in record}
            if len(items) < len(record):
                yield ValidationError("the list has repeated items")

    @cache
    def retrieve(urn: str) -> Resource[Schema]:
        schema = _resource(urn)
        del schema["$schema"]  # it would bring back the class that this one extends
        return DRAFT202012.create_resource(schema)

    extend: Any = validators.extend
    registry: Any = Registry(retrieve=retrieve)  # type: ignore[call-arg] # an alias of attrs
    root = {"$ref": load(name, reading)["$id"]}
    return extend(Draft202012Validator, {"oneOf": one_of, "uniqueItems": unique})(
        root, registry=registry
    )


def _kinds(kinds: list[Schema], record: Any) -> list[Schema]:
    """Leave the kinds that the tags of a record allow, or else one schema that refuses these."""
    left = kinds
    for path in dict.fromkeys(path for kind in kinds for path in _tags(kind)):
        value = record
        for name in path:
            value = value.get(name, _ABSENT) if isinstance(value, dict) else _ABSENT
        kept = [kind for kind in left if _tags(kind).get(path, value) == value]
        if not kept:
            tags = [*dict.fromkeys(_tags(kind)[path] for kind in left)]
            if tags == [_ABSENT]:
                return kinds
            refusal: Schema = {"enum": tags} if tags[1:] else {"const": tags[0]}
            for name in reversed(path):
                refusal = {"type": "object", "properties": {name: refusal}, "required": [name]}
            return [refusal]
        left = kept
    members = set(record) if isinstance(record, dict) else set()  # the first required is a tag too
    return [kind for kind in left if members >= {*kind.get("required", ())[:1]}] or left


def _tags(kind: Schema) -> dict[tuple[str, ...], object]:
    """Find the constants that a kind requires, by path, and the members that it must not have."""
    tags: dict[tuple[str, ...], object] = {}
    for name, member in kind.get("properties", {}).items():
        if member is False:
            tags[name,] = _ABSENT
        elif member is not True and name in kind.get("required", ()):
            if "const" in member:
                tags[name,] = member["const"]
            tags |= {(name, *path): value for path, value in _tags(member).items()}
    return tags


def _problem(error: Any) -> Problem:
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in error.absolute_path)
    instance = repr(error.instance)
    shown = instance if len(instance) <= _MAX_SHOWN else f"{instance[:_MAX_SHOWN]}…"
    message = error.message.replace(instance, shown)
    if error.validator in {"pattern", "not"} and "title" in error.schema:
        message = f"{shown} is not {error.schema['title'].lower()}"
    return Problem("".join(f"/{step}" for step in steps), error.validator, message[:_MAX_MESSAGE])
