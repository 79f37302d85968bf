"""What the models are made of: closed objects with two readings, and texts that are checked.

A *writer* may emit what a model names and nothing else; a *reader* drops what it does not name, at
every level. The reader's reading is derived here, once for all models.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, model_validator
from pydantic.alias_generators import to_camel

from askproof_reference.text import is_blank, trim

Item = TypeVar("Item")

READER = {"reading": "reader"}


def is_trimmed(text: str) -> str:
    """Refuse a text that is blank or begins or ends with white space."""
    if is_blank(text) or trim(text) != text:
        raise ValueError("must be trimmed and not blank")
    return text


def is_not_empty(text: str) -> str:
    """Refuse the empty text; unlike `min_length`, this takes lone surrogates."""
    if not text:
        raise ValueError("must not be empty")
    return text


def is_not_blank(text: str) -> str:
    """Refuse a text of nothing but white space."""
    if is_blank(text):
        raise ValueError("must not be blank")
    return text


def are_different(items: list[Item]) -> list[Item]:
    """Refuse a list in which something is repeated."""
    if len(set(items)) != len(items):
        raise ValueError("must be different")
    return items


def only(constant: Item) -> Callable[[Item], Item]:
    """A validator that refuses every other value; the type is checked before, and strictly."""

    def is_constant(value: Item) -> Item:
        if value != constant:
            raise ValueError(f"must be {constant}")
        return value

    return is_constant


Trimmed = Annotated[str, AfterValidator(is_trimmed)]
NonBlank = Annotated[str, AfterValidator(is_not_blank)]
NonEmpty = Annotated[str, AfterValidator(is_not_empty)]
Milliseconds = Annotated[int, Field(ge=0)]
Version = Annotated[int, AfterValidator(only(1))]
Yes = Annotated[bool, AfterValidator(only(constant=True))]
No = Annotated[bool, AfterValidator(only(constant=False))]


class Record(BaseModel):
    """A closed object. An optional member is None here when it is absent there; null is refused.

    Attributes:
        may_be_null: the members for which null is a value.
    """

    may_be_null: ClassVar[frozenset[str]] = frozenset()

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel)

    @model_validator(mode="before")
    @classmethod
    def read_members(cls, value: Any, info: ValidationInfo) -> Any:
        """Drop what a reader does not know, then refuse null."""
        if not isinstance(value, dict):
            return value
        if info.context == READER:
            known = {to_camel(name) for name in cls.model_fields}
            value = {name: member for name, member in value.items() if name in known}
        if any(member is None for name, member in value.items() if name not in cls.may_be_null):
            raise ValueError("null is not absent")
        return value
