"""The reference, of which only the first observation after each command is reported."""

from typing import Any

from askproof_reference.adapter import Adapter as Reference


class Adapter(Reference):
    def perform(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"observations": super().perform(params)["observations"][:1]}
