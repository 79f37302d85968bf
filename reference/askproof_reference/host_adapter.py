"""The adapter of the reference host: who calls it, the person at its terminal, and its listeners.

Performs the commands for `ask-host` of `spec/adapter-protocol.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from askproof_reference.adapter import NAMESPACE
from askproof_reference.bus import EventBus
from askproof_reference.deferred import Deferred, Signal
from askproof_reference.flows import Ask
from askproof_reference.host import AskHost
from askproof_reference.pointer import set_member

START = 1_700_000_000_000


class ObservedBus(EventBus):
    """A bus on which everything that the host emits is observed before it is delivered."""

    def __init__(self, observe: Callable[[str, Any], None]) -> None:
        super().__init__()
        self.observe = observe

    def emit(self, channel: str, data: Any) -> None:
        """Emit for the host."""
        self.observe(channel, data)
        super().emit(channel, data)

    def inject(self, channel: str, data: Any) -> None:
        """Emit for anybody else."""
        super().emit(channel, data)


class HostAdapter:
    """Performs the commands for a host; a subclass may set another `host_class`."""

    host_class: type[AskHost] = AskHost

    def begin(self, params: dict[str, Any]) -> dict[str, Any]:
        """Make a new bus with a new host on it."""
        self._observations: list[dict[str, Any]] = []
        self._now = START
        self._signals: dict[str, Signal] = {}
        self._outcomes: dict[str, Deferred] = {}
        self._opened: dict[str, Deferred] = {}
        self._request: dict[str, Any] = {}
        self._late: list[Callable[[], None]] = []
        self._bus = ObservedBus(self._emitted)
        self._host = self._new_host()
        return {}

    def perform(self, params: dict[str, Any]) -> dict[str, Any]:
        """Perform one command; everything that follows from it has happened when it returns."""
        known = [name for name in params if hasattr(self, f"do_{name}")]
        if not known:
            raise NotImplementedError(f"the host has no command {', '.join(params)!r}")
        getattr(self, f"do_{known[0]}")(params[known[0]])
        observed = list(self._observations)
        self._observations.clear()
        return {"observations": observed}

    def _new_host(self) -> AskHost:
        return self.host_class(self._bus, NAMESPACE, lambda: self._now)

    def _observe(self, **observation: Any) -> None:
        self._observations.append(_written(observation))

    # The commands for every role

    def do_emit(self, arguments: dict[str, Any]) -> None:
        """Emit what a bridge would, or anybody else."""
        self._bus.inject(arguments["channel"], arguments["data"])

    def do_advance(self, arguments: dict[str, Any]) -> None:
        """Let time pass."""
        self._now += arguments["ms"]

    def do_reload(self, arguments: dict[str, Any]) -> None:
        """Begin a new life on the same bus."""
        self._host.close()
        self._host = self._new_host()

    def do_shutdown(self, arguments: dict[str, Any]) -> None:
        """End the session."""
        self._host.end_session()

    # Calls

    def do_ask(self, arguments: dict[str, Any]) -> None:
        """Start an ask; whoever wants to connect afterwards does so when it has returned."""
        call = arguments["call"]
        self._signals[call] = Signal()
        with _scratch_folder(arguments.get("files", {})) as folder:
            ask = Ask(
                input=arguments["input"],
                mode=arguments["mode"],
                source=arguments.get("source", "tool"),
                tool_call_id=arguments.get("toolCallId"),
                background=arguments.get("background", False),
                single_as_multi=arguments.get("settings", {}).get("presentSingleAsMulti", False),
                folder=folder,
                signal=self._signals[call],
            )
            self._outcomes[call] = self._host.ask(ask)
        self._outcomes[call].add_done_callback(partial(self._ended, call))
        for connect in self._late:
            connect()
        self._late.clear()

    def do_abort(self, arguments: dict[str, Any]) -> None:
        """Abort the operation of a call."""
        self._signals[arguments["call"]].abort()

    def do_local(self, arguments: dict[str, Any]) -> None:
        """Let the person at the terminal act; on a form that is closed nobody can."""
        outcome = self._outcomes[arguments["call"]]
        for flow in [flow for flow in self._host.flows.values() if flow.outcome is outcome]:
            if "answers" in arguments:
                self._host.fill(flow, arguments["answers"])
            if arguments["act"] == "cancel":
                self._host.cancel(flow)
            elif arguments["act"] != "fill":
                self._host.finish(flow, flow.answers, arguments["act"])

    def do_break(self, arguments: dict[str, Any]) -> None:
        """Let the next application of a submit fail inside the host."""
        members = vars(self._host)

        def apply(*_: Any) -> None:
            del members["apply"]
            raise RuntimeError("told to fail")

        members["apply"] = apply

    def _ended(self, call: str, outcome: Deferred) -> None:
        error = outcome.exception()
        if error is not None:
            self._observe(tool=call, error=str(error))
        else:
            self._observe(tool=call, result=outcome.result())

    # What the host emits and hands out

    def do_listen(self, arguments: dict[str, Any]) -> None:
        """Register a listener."""
        channel, then = arguments["channel"], arguments["then"]

        def listener(data: Any) -> Deferred | None:
            self._observe(heard=arguments["listener"], channel=channel)
            if then == "throw":
                raise RuntimeError("told to throw")
            if then == "reject":
                rejected = Deferred()
                rejected.set_exception(RuntimeError("told to reject"))
                return rejected
            if "set" in then:
                set_member(data, **then["set"])
            elif "submit" in then:
                submit = {"version": 1, "flowId": data["flowId"], **then["submit"]}
                self._bus.inject(f"{channel.rpartition(':')[0]}:submit", submit)
            return None

        self._bus.on(channel, listener)

    def do_tamper(self, arguments: dict[str, Any]) -> None:
        """Change the request that was handed out."""
        set_member(self._request, arguments["path"], arguments["value"])

    def _emitted(self, channel: str, data: Any) -> None:
        self._observe(emitted=channel, data=data)

    # Providers

    def do_offer(self, arguments: dict[str, Any]) -> None:
        """Register a listener that connects a provider."""
        self._bus.on(f"{NAMESPACE}:external-ui", partial(self._offer, arguments))

    def do_resolve(self, arguments: dict[str, Any]) -> None:
        """Resolve `open`."""
        self._opened[arguments["provider"]].set_result(arguments.get("value"))

    def do_reject(self, arguments: dict[str, Any]) -> None:
        """Reject `open`."""
        self._opened[arguments["provider"]].set_exception(RuntimeError(arguments["reason"]))

    def _offer(self, offer: dict[str, Any], connection: dict[str, Any]) -> None:
        """Connect during the event, or keep that for later."""

        def connect() -> None:
            for _ in range(offer.get("times", 1)):
                returned = connection["connect"](self._provider(offer))
                self._observe(connected=offer["provider"], returned=returned)

        if offer["when"] == "during":
            connect()
        else:
            self._late.append(connect)

    def _provider(self, offer: dict[str, Any]) -> Any:
        """The provider of an offer, with a function where a handle stands for one."""
        given = offer["connect"]
        if not isinstance(given, dict) or given.get("open") != {"handle": "open"}:
            return given
        return {**given, "open": partial(self._open, offer["provider"])}

    def _open(self, provider: str, request: dict[str, Any]) -> Deferred:
        self._observe(opened=provider, request=request)
        self._request = request
        self._opened[provider] = Deferred()
        request["signal"].on_abort(partial(self._observe, aborted=provider))
        return self._opened[provider]


class QuietHostAdapter(HostAdapter):
    """Performs the commands for a host that says nothing after an abort."""

    def _new_host(self) -> AskHost:
        host = super()._new_host()
        host.after_abort = "none"
        return host


@contextmanager
def _scratch_folder(files: dict[str, str]) -> Iterator[str | None]:
    """A folder with these files; a host has read what it needs when `ask` returns."""
    if not files:
        yield None
        return
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="askproof-") as scratch:
        folder = Path(scratch).resolve() / "ask"
        for name, text in files.items():
            file = (folder / name).resolve()
            if not file.is_relative_to(folder.parent):
                raise ValueError(f"{name!r} would lie outside the scratch folder")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        yield str(folder)


def _written(value: Any, name: str = "") -> Any:
    """A copy as JSON; what JSON cannot carry is written as a handle of the name of its member."""
    if isinstance(value, dict):
        return {key: _written(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [_written(item, name) for item in value]
    if value is None or isinstance(value, str | int | float):
        return value
    return {"handle": name}
