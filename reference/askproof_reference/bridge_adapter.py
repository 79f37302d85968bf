"""The adapter of the reference bridge: its human, its device, and the host that connects to it.

Performs the commands for `ask-bridge` of `spec/adapter-protocol.md`.
"""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import Any

from askproof_reference.adapter import NAMESPACE, SECOND_NAMESPACE
from askproof_reference.bridge import AskBridge, Form, Given
from askproof_reference.bus import EventBus
from askproof_reference.deferred import Deferred, Signal
from askproof_reference.records import Record

CHANNELS = ("started", "submit", "submit-result", "completed", "external-ui")


class Device:
    """The device of the human: writes down what is seen on it, and gives the forms their names."""

    def __init__(self, observations: list[Record]) -> None:
        self.connected = True
        self.forms: dict[str, Form] = {}
        self._observations = observations

    def show(self, form: Form, view: list[Record]) -> None:
        """A form appears."""
        name = f"form-{len(self.forms) + 1}"
        self.forms[name] = form
        self._observations.append({"shown": name, "questions": view})

    def tell(self, form: Form, outcome: str, answers: list[list[str]] | None) -> None:
        """A message about a form appears."""
        told: Record = {"told": self._name(form), "outcome": outcome}
        self._observations.append(told if answers is None else {**told, "answers": answers})

    def close(self, form: Form) -> None:
        """A form disappears."""
        self._observations.append({"closed": self._name(form)})

    def _name(self, form: Form) -> str:
        return next(name for name, one in self.forms.items() if one is form)


class BridgeAdapter:
    """Performs the commands, each in a method of its name, on a bridge of `bridge_class`."""

    bridge_class: type[AskBridge] = AskBridge

    def begin(self, params: Record) -> Record:
        """Make a new bus with a new bridge on it."""
        self._observations: list[Record] = []
        self._now = 0
        self._emitting: tuple[str, Any] = ("", None)
        self._providers: dict[str, Record] = {}
        self._signals: dict[str, Signal] = {}
        self._bus = EventBus()
        namespaces = (NAMESPACE, SECOND_NAMESPACE)
        for channel in (f"{namespace}:{name}" for namespace in namespaces for name in CHANNELS):
            self._bus.on(channel, partial(self._hear, channel))
        self._device = Device(self._observations)
        self._bridge = self.bridge_class(self._bus, namespaces, self._device, lambda: self._now)
        return {}

    def perform(self, params: Record) -> Record:
        """Perform one command; all that follows from it has happened when it returns."""
        command = next((name for name in params if hasattr(self, f"_perform_{name}")), None)
        if command is None:
            raise NotImplementedError(f"there is no command for a bridge in {list(params)}")
        getattr(self, f"_perform_{command}")(params[command])
        self._bridge.tick()  # as its timer does
        observed = self._observations.copy()
        self._observations.clear()
        return {"observations": observed}

    def _hear(self, channel: str, data: Any) -> None:
        """Observe what the bridge emits: everything but what the adapter itself is emitting."""
        own_channel, own_data = self._emitting
        if channel != own_channel or data is not own_data:
            self._observations.append({"emitted": channel, "data": deepcopy(data)})

    def _emit(self, channel: str, data: Any) -> None:
        self._emitting = channel, data
        self._bus.emit(channel, data)
        self._emitting = "", None

    def _perform_emit(self, arguments: Record) -> None:
        self._emit(arguments["channel"], arguments["data"])

    def _perform_advance(self, arguments: Record) -> None:
        self._now += arguments["ms"]

    def _perform_reload(self, arguments: Record) -> None:
        self._bridge.reload()

    def _perform_shutdown(self, arguments: Record) -> None:
        self._bridge.shutdown()

    def _perform_act(self, arguments: Record) -> None:
        given = [one if one is None else _given(one) for one in arguments.get("answers", ())]
        self._bridge.act(self._device.forms[arguments["form"]], arguments["then"], given)

    def _perform_press(self, arguments: Record) -> None:
        self._bridge.press(self._device.forms[arguments["form"]], arguments["button"])

    def _perform_transport(self, arguments: Record) -> None:
        self._device.connected = arguments["connected"]
        self._bridge.line_changed()

    def _perform_connect(self, arguments: Record) -> None:
        name = arguments["connection"]
        connection = {key: arguments[key] for key in ("version", "mode", "toolCallId")}

        def connect(provider: Record) -> bool:
            self._providers[name] = provider
            offered = {
                key: {"handle": key} if callable(value) else deepcopy(value)
                for key, value in provider.items()
            }
            late = self._emitting[1] is not connection
            self._observations.append(
                {"offered": name, "provider": offered, **({"late": True} if late else {})}
            )
            return arguments["accept"] and not late

        connection["connect"] = connect
        self._emit(f"{NAMESPACE}:external-ui", connection)

    def _perform_open(self, arguments: Record) -> None:
        name, request = arguments["connection"], arguments["request"]
        signal = self._signals[name] = Signal()
        if isinstance(request, dict):
            request = {**request, "signal": signal}
        self._providers[name]["open"](request).add_done_callback(partial(self._settle, name))

    def _perform_abort(self, arguments: Record) -> None:
        self._signals[arguments["connection"]].abort()

    def _settle(self, connection: str, opened: Deferred) -> None:
        if opened.exception() is None:
            self._observations.append({"resolved": connection, "value": opened.result()})
        else:
            self._observations.append({"rejected": connection})


def _given(answer: Record) -> Given:
    """What a human gave, as the protocol writes it."""
    return Given(
        options=answer.get("options", ()),
        text=answer.get("text", ""),
        note=answer.get("note", ""),
        option_notes={int(at): note for at, note in answer.get("optionNotes", {}).items()},
    )
