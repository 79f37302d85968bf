"""What a host is asked, and what it opens for that."""

from __future__ import annotations

from typing import Any

from askproof_reference.deferred import Deferred, Signal
from askproof_reference.questions import Form
from askproof_reference.results import Answers


class Ask:
    """A request to ask a human.

    Attributes:
        input: the title and the questions, as nobody has checked them yet.
        mode: how the agent runs: `tui`, `rpc`, `json` or `print`.
        source: what asks: `tool`, `answer`, `answer:again`, `ask:replay` or `ask:resume`.
        tool_call_id: of the tool call, where there is one.
        background: whether the agent goes on meanwhile.
        single_as_multi: whether single-select questions are presented as multi-select.
        folder: where preview files lie.
        signal: aborts the operation.
    """

    def __init__(  # noqa: PLR0913 - it is a record
        self,
        *,
        input: Any,  # noqa: A002 - the name that the contract gives it
        mode: str = "tui",
        source: str = "tool",
        tool_call_id: str | None = None,
        background: bool = False,
        single_as_multi: bool = False,
        folder: str | None = None,
        signal: Signal | None = None,
    ) -> None:
        self.input = input
        self.mode = mode
        self.source = source
        self.tool_call_id = tool_call_id
        self.background = background
        self.single_as_multi = single_as_multi
        self.folder = folder
        self.signal = signal or Signal()


class Flow:
    """One opened form.

    Attributes:
        id: unique among the active flows.
        ask: what opened it.
        form: what is shown.
        created_at: when it opened.
        outcome: of the tool call: the result or an error.
        signal: aborts when the flow has ended.
        answers: what the person at the terminal has filled in so far.
    """

    def __init__(self, flow_id: str, ask: Ask, form: Form, created_at: int) -> None:
        self.id = flow_id
        self.ask = ask
        self.form = form
        self.created_at = created_at
        self.outcome = Deferred()
        self.signal = Signal()
        self.answers: Answers = {}
