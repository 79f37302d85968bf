"""The reference, which throws whenever its host is to do what few cases ask of it."""

from typing import Any

from askproof_reference.adapter import Adapter as Reference


class Adapter(Reference):
    def perform(self, params: dict[str, Any]) -> dict[str, Any]:
        if params.keys() & {"break", "tamper", "shutdown"}:
            raise ZeroDivisionError("not\x1b[2J today")
        return super().perform(params)
