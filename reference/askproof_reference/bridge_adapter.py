"""The adapter of the reference bridge: its human, its device, and the host that connects to it.

Performs the commands for `ask-bridge` of `spec/adapter-protocol.md`.
"""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import Any, ClassVar

from askproof_reference.bridge import AskBridge, Form, Given
from askproof_reference.bus import EventBus
from askproof_reference.deferred import Deferred, Signal

NAMESPACE = "@askproof/reference"
SECOND_NAMESPACE = "@askproof/reference-second"
CHANNELS = ("started", "submit", "submit-result", "completed", "external-ui")


class Device:
    """The device of the human: writes down what is seen on it, and gives the forms their names."""

    def __init__(self, observations: list[dict[str, Any]]) -> None:
        self.connected = True
        self.forms: dict[str, Form] = {}
        self._observations = observations

    def show(self, form: Form, view: list[dict[str, Any]]) -> None:
        """A form appears."""
        name = f"form-{len(self.forms) + 1}"
        self.forms[name] = form
        self._observations.append({"shown": name, "questions": view})

    def tell(self, form: Form, outcome: str, answers: list[list[str]] | None) -> None:
        """A message about a form appears."""
        told: dict[str, Any] = {"told": self._name(form), "outcome": outcome}
        self._observations.append(told if answers is None else {**told, "answers": answers})

    def close(self, form: Form) -> None:
        """A form disappears."""
        self._observations.append({"closed": self._name(form)})

    def _name(self, form: Form) -> str:
        return next(name for name, one in self.forms.items() if one is form)


class BridgeAdapter:
    """Performs the commands for a bridge; a subclass may set another `bridge_class`."""

    CAPABILITIES = (
        "buttons",
        "transport",
        "provider",
        "reload",
        "shutdown",
        "virtual-time",
        "second-namespace",
    )
    VARIANTS: ClassVar[dict[str, str]] = {}
    bridge_class: type[AskBridge] = AskBridge

    def begin(self, params: dict[str, Any]) -> dict[str, Any]:
        """Make a new bus with a new bridge on it."""
        self._observations: list[dict[str, Any]] = []
        self._now = 0
        self._emitting: tuple[str, Any] = ("", None)
        self._providers: dict[str, Any] = {}
        self._signals: dict[str, Signal] = {}
        self._bus = EventBus()
        namespaces = (NAMESPACE, SECOND_NAMESPACE)
        for channel in (f"{namespace}:{name}" for namespace in namespaces for name in CHANNELS):
            self._bus.on(channel, partial(self._hear, channel))
        self._device = Device(self._observations)
        self._bridge = self.bridge_class(self._bus, namespaces, self._device, lambda: self._now)
        return {}

    def perform(self, params: dict[str, Any]) -> dict[str, Any]:
        """Perform one command; everything that follows from it has happened when it returns."""
        ((command, arguments),) = params.items()
        method = getattr(self, f"do_{command}", None)
        if method is None:
            raise NotImplementedError(f"the bridge has no command {command!r}")
        method(arguments)
        observed = list(self._observations)
        self._observations.clear()
        return {"observations": observed}

    def _hear(self, channel: str, data: Any) -> None:
        """Observe what the bridge emits: all but the very event that the adapter emits."""
        own_channel, own_data = self._emitting
        if channel != own_channel or data is not own_data:
            self._observations.append({"emitted": channel, "data": deepcopy(data)})

    def _emit(self, channel: str, data: Any) -> None:
        self._emitting = channel, data
        self._bus.emit(channel, data)

    # The commands

    def do_emit(self, arguments: dict[str, Any]) -> None:
        """Emit what a host would, or anybody else."""
        self._emit(arguments["channel"], arguments["data"])

    def do_advance(self, arguments: dict[str, Any]) -> None:
        """Let time pass."""
        self._now += arguments["ms"]
        self._bridge.tick()

    def do_reload(self, arguments: dict[str, Any]) -> None:
        """Reload the bridge."""
        self._bridge.reload()

    def do_shutdown(self, arguments: dict[str, Any]) -> None:
        """End the session."""
        self._bridge.shutdown()

    def do_act(self, arguments: dict[str, Any]) -> None:
        """Fill in a form by position, and finish it."""
        given = [one if one is None else _given(one) for one in arguments.get("answers", ())]
        self._bridge.act(self._device.forms[arguments["form"]], arguments["then"], given)

    def do_press(self, arguments: dict[str, Any]) -> None:
        """Press a button."""
        self._bridge.press(self._device.forms[arguments["form"]], arguments["button"])

    def do_transport(self, arguments: dict[str, Any]) -> None:
        """Lose or regain the line to the device."""
        self._device.connected = arguments["connected"]
        self._bridge.line_changed()

    def do_connect(self, arguments: dict[str, Any]) -> None:
        """Look for a provider, as a host does for a call outside the terminal."""

        def connect(provider: Any) -> bool:
            self._providers[arguments["connection"]] = provider
            offered = {
                key: {"handle": key} if callable(value) else deepcopy(value)
                for key, value in provider.items()
            }
            self._observations.append({"offered": arguments["connection"], "provider": offered})
            accept: bool = arguments["accept"]
            return accept

        connection = {key: arguments[key] for key in ("version", "mode", "toolCallId")}
        self._emit(f"{NAMESPACE}:external-ui", {**connection, "connect": connect})

    def do_open(self, arguments: dict[str, Any]) -> None:
        """Open the form of a call with the provider that was offered."""
        connection = arguments["connection"]
        signal = self._signals[connection] = Signal()
        opened = self._providers[connection]["open"]({**arguments["request"], "signal": signal})
        opened.add_done_callback(partial(self._settled, connection))

    def do_abort(self, arguments: dict[str, Any]) -> None:
        """Abort the signal of an `open`."""
        self._signals[arguments["connection"]].abort()

    def _settled(self, connection: str, opened: Deferred) -> None:
        if opened.exception():
            self._observations.append({"rejected": connection})
        else:
            self._observations.append({"resolved": connection, "value": opened.result()})


def _given(answer: dict[str, Any]) -> Given:
    """What a human gave, as the protocol writes it."""
    return Given(
        options=answer.get("options", ()),
        text=answer.get("text", ""),
        note=answer.get("note", ""),
        option_notes={int(at): note for at, note in answer.get("optionNotes", {}).items()},
    )
