"""A base for adapters that are written in Python: one method a command, one call an observation."""

from __future__ import annotations

from typing import Any, ClassVar


class Adapter:
    """Derive from it, set the attributes, and write a method `do_COMMAND` for each command.

    The commands and their arguments are those of spec/adapter-protocol.md; a command that the
    adapter has no method for ends a case as a protocol error.

    Attributes:
        implementation: name, version and language of what is being tested.
        namespace: the prefix of its event channels.
        roles: for each role that it plays, `capabilities` and `variants`.
    """

    implementation: ClassVar[dict[str, str]]
    namespace: ClassVar[str]
    roles: ClassVar[dict[str, dict[str, Any]]]

    def reset(self, role: str) -> None:
        """Drop the implementation of the case before, and make a clean one for this role."""
        raise NotImplementedError

    def see(self, **observation: Any) -> None:
        """Report an observation, such as `self.see(tool="c1", result={...})`."""
        self._observations.append(observation)

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        """Answer the kit's greeting."""
        return {
            "protocol": 1,
            "implementation": self.implementation,
            "namespace": self.namespace,
            "roles": self.roles,
        }

    def begin(self, params: dict[str, Any]) -> dict[str, Any]:
        """Begin a case."""
        self._observations: list[dict[str, Any]] = []
        self.reset(params["role"])
        return {}

    def perform(self, params: dict[str, Any]) -> dict[str, Any]:
        """Perform one command and return what was seen."""
        ((command, arguments),) = params.items()
        method = getattr(self, f"do_{command}", None)
        if method is None:
            raise NotImplementedError(f"this adapter has no method do_{command}")
        method(**arguments)
        seen, self._observations = self._observations, []
        return {"observations": seen}
