"""The adapter of the reference, for every role that it plays (spec/adapter-protocol.md).

What it says of itself stands here, so that a role is imported only when it is begun: starting fast
matters to those who run one case.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

NAMESPACE = "@askproof/reference"
SECOND_NAMESPACE = "@askproof/reference-second"

ROLES: dict[str, dict[str, Any]] = {
    "ask-host": {
        "capabilities": [
            "tui",
            "external-ui",
            "local-ui",
            "virtual-time",
            "fault-injection",
            "preview-files",
            "single-as-multi",
            "background",
            "commands",
            "parallel",
            "reload",
            "shutdown",
            "tamper",
        ],
        "variants": {"after-abort": "cancelled"},
    },
    "ask-bridge": {
        "capabilities": [
            "buttons",
            "transport",
            "provider",
            "reload",
            "shutdown",
            "virtual-time",
            "second-namespace",
        ],
        "variants": {},
    },
    "receipt-issuer": {
        "capabilities": ["background", "caller-objects", "virtual-time"],
        "variants": {},
    },
    "receipt-consumer": {"capabilities": ["virtual-time"], "variants": {}},
    "journal-writer": {
        "capabilities": ["virtual-time", "interrupt", "session", "store", "fault-injection"],
        "variants": {"rich-timeout": "30-seconds"},
    },
    "journal-reader": {"capabilities": ["session", "store"], "variants": {}},
}
CLASSES = {
    "ask-host": "host_adapter:HostAdapter",
    "ask-bridge": "bridge_adapter:BridgeAdapter",
    "receipt-issuer": "issuer_adapter:IssuerAdapter",
    "receipt-consumer": "consumer_adapter:ConsumerAdapter",
    "journal-writer": "writer_adapter:WriterAdapter",
    "journal-reader": "reader_adapter:ReaderAdapter",
}


class Adapter:
    """Performs the commands of the kit, in process or behind the standard streams."""

    roles: ClassVar[dict[str, Any]] = ROLES
    classes: ClassVar[dict[str, str]] = CLASSES

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        """Say what this is and what it can do (ADP-010)."""
        return {
            "protocol": 1,
            "implementation": {
                "name": "askproof-reference",
                "version": "1.0",
                "language": "python",
            },
            "namespace": NAMESPACE,
            "secondNamespace": SECOND_NAMESPACE,
            "roles": self.roles,
        }

    def begin(self, params: dict[str, Any]) -> dict[str, Any]:
        """Make a clean implementation of a role (ADP-020)."""
        self._role = self.role_class(params["role"])()
        began: dict[str, Any] = self._role.begin(params)
        return began

    def perform(self, params: dict[str, Any]) -> dict[str, Any]:
        """Perform one command for the role that was begun (ADP-030)."""
        performed: dict[str, Any] = self._role.perform(params)
        return performed

    def role_class(self, role: str) -> Any:
        """The class that performs the commands for a role."""
        module, name = self.classes[role].split(":")
        return getattr(import_module(f"askproof_reference.{module}"), name)


class OtherVariants(Adapter):
    """The same, with the other variant in each role that has one (EVT-055, JRN-009)."""

    roles: ClassVar[dict[str, Any]] = {
        **ROLES,
        "ask-host": {**ROLES["ask-host"], "variants": {"after-abort": "none"}},
        "journal-writer": {**ROLES["journal-writer"], "variants": {"rich-timeout": "none"}},
    }
    classes: ClassVar[dict[str, str]] = {
        **CLASSES,
        "ask-host": "host_adapter:QuietHostAdapter",
        "journal-writer": "writer_adapter:PatientWriterAdapter",
    }
