"""The adapter of the reference, for every role that it plays (spec/adapter-protocol.md).

A role is imported when it is needed: starting fast matters to those who run one case.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

NAMESPACE = "@askproof/reference"
SECOND_NAMESPACE = "@askproof/reference-second"

ROLES = {
    "ask-host": ("host_adapter", "HostAdapter"),
    "ask-bridge": ("bridge_adapter", "BridgeAdapter"),
}


class Adapter:
    """Performs the commands of the kit, in process or behind the standard streams."""

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        """Say what this is and what it can do."""
        roles = {role: self.role_class(role) for role in ROLES}
        return {
            "protocol": 1,
            "implementation": {
                "name": "askproof-reference",
                "version": "1.0",
                "language": "python",
            },
            "namespace": NAMESPACE,
            "secondNamespace": SECOND_NAMESPACE,
            "roles": {
                role: {"capabilities": list(one.CAPABILITIES), "variants": dict(one.VARIANTS)}
                for role, one in roles.items()
            },
        }

    def begin(self, params: dict[str, Any]) -> dict[str, Any]:
        """Make a clean implementation of a role (ADP-020)."""
        if params["role"] not in ROLES:
            raise NotImplementedError(f"the reference does not play {params['role']!r}")
        self._role = self.role_class(params["role"])()
        began: dict[str, Any] = self._role.begin(params)
        return began

    def perform(self, params: dict[str, Any]) -> dict[str, Any]:
        """Perform one command for the role that was begun (ADP-030)."""
        performed: dict[str, Any] = self._role.perform(params)
        return performed

    def role_class(self, role: str) -> Any:
        """The class that performs the commands for a role."""
        module, name = ROLES[role]
        return getattr(import_module(f"askproof_reference.{module}"), name)
