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
        second_namespace: the prefix of the second host that a bridge serves, where it serves one.
        roles: for each role that it plays, `capabilities` and `variants`; both may be left out.
    """

    implementation: ClassVar[dict[str, str]]
    namespace: ClassVar[str]
    second_namespace: ClassVar[str | None] = None
    roles: ClassVar[dict[str, dict[str, Any]]]

    def reset(self, role: str) -> None:
        """Drop the implementation of the case before, and make a clean one for this role."""
        raise NotImplementedError("this adapter has no method reset")

    def see(self, **observation: Any) -> None:
        """Report an observation, such as `self.see(tool="c1", result={...})`."""
        self._observations.append(observation)

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        """Answer the kit's greeting."""
        nothing: dict[str, Any] = {"capabilities": [], "variants": {}}
        second = {"secondNamespace": self.second_namespace} if self.second_namespace else {}
        return {
            "protocol": 1,
            "implementation": self.implementation,
            "namespace": self.namespace,
            "roles": {role: nothing | said for role, said in self.roles.items()},
            **second,
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
