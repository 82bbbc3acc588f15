"""Asking a worker: one request, one answer, and what an answer does to the caller's tensors."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from ...machinery import Unforeseen
from ..errors import Frame, SubmissionDied, SubmissionError, SubmissionTimeout, remote_class
from ..protocol import Sources
from . import bridge, limits, places
from .frames import MOST_BODY, BadFrame, Closed, Deadline
from .process import Process
from .scripts import Header, Line, Memory, Numbered, Script
from .tape import Tape
from .wire import Incoming, Node, Outgoing

_MOST_FRAMES = 20
_MOST_NAME = 100
_PATIENCE = 2.0
"""Seconds that a process whose connection closed may take to be gone."""

Made = Callable[[int], Any]
"""From a module's number in the worker to what stands for it here."""


class Link:
    """A conversation with one worker, for one thread.

    Args:
        process: the worker.
        sources: the submission's text, to quote lines from.
        module: makes what stands for a module of the submission.
        check: looks at what was refused, see `Seat.check`.

    Attributes:
        asked: every request since the check began, if set to a list before.
        tape: answers that are there already.
    """

    def __init__(
        self, process: Process, sources: Sources, module: Made, check: Callable[[Header], None]
    ) -> None:
        self.process = process
        self.alive = True
        self.late = False
        self.deadline = Deadline(0)
        self.asked: list[Line] | None = None
        self.tape: Tape | None = None
        self._sources = sources
        self._module = module
        self._check = check
        self._calls = itertools.count()
        self._forgotten: list[int] = []

    def begin(self, seconds: float, tape: Tape | None = None) -> None:
        """Begin a check; the worker then forgets what it kept for the one before."""
        self.deadline = Deadline(seconds)
        self.tape = tape
        self.asked = None if self.asked is None else []
        self._calls = itertools.count()
        self._forgotten = []  # a new one: calls that are forgotten late are those of another check

    def perform(self, scripts: Sequence[Numbered]) -> list[Tape]:
        """Have the worker answer scripts, which it knows by their numbers, from start to end.

        Returns:
            The tapes of all of them, or only of those up to the first that printed something.

        Raises:
            SubmissionError: the submission took too long, or ended.
        """
        channel, numbers = self.process.channel, [number for number, _ in scripts]
        with self._mishaps():
            channel.send({"perform": numbers}, None, self.deadline)
            header, _ = channel.receive(self.deadline)
            self._check(header)
            count = header.get("performed")
            if type(count) is not int or not 0 < count <= len(scripts):
                raise BadFrame("not as many answers as questions")
            return list(self._received(script for _, script in scripts[:count]))

    def _received(self, performed: Iterable[Script]) -> Iterator[Tape]:
        room = MOST_BODY
        for script in performed:
            raw = self.process.channel.receive_raw(self.deadline)
            room -= sum(map(len, raw))
            if room < 0:
                raise BadFrame("answers that are too long together")
            yield Tape(script, raw)

    def ask(self, operation: str, value: Any) -> Any:
        """Have the worker do something.

        Args:
            operation: what to do.
            value: what it needs for that.

        Raises:
            SubmissionError: the submission raised an exception, took too long, or ended.
            MachineryError: what holds the worker is gone.
        """
        question = Question(value)
        header: Header = {
            "do": operation,
            "call": next(self._calls),
            "grad": torch.is_grad_enabled(),
        }
        header |= question.header
        answer, memory = self._exchange(header, question.memory)
        try:
            if "error" in answer:
                error = self._error(answer["error"])
            else:
                return self._taken(answer, memory, question, header["call"])
        except (BadFrame, LookupError, TypeError, ValueError, RuntimeError) as trouble:
            error = self.nonsense(trouble)
        raise error

    def end(self, patience: float = 0.0) -> int | None:
        """End the worker."""
        self.alive = False
        return self.process.end(patience)

    def _exchange(self, header: Header, memory: Memory) -> tuple[Header, Memory]:
        if self.asked is not None:
            self.asked.append(Line.of(header, memory))
        if self.tape is not None:
            with self._mishaps():
                return self.tape.reply(header, memory)
        if not self.alive:
            raise SubmissionDied("the code's process has ended in an earlier call")
        with self._mishaps():
            forget, self._forgotten[:] = list(self._forgotten), []
            self.process.channel.send(header | {"forget": forget}, memory, self.deadline)
            answer = self.process.channel.receive(self.deadline)
            self._check(answer[0])
            return answer

    @contextmanager
    def _mishaps(self) -> Iterator[None]:
        """End the worker where it fails, and say so in an exception of the submission's."""
        try:
            yield
        except (SubmissionError, Unforeseen):
            raise
        except TimeoutError:
            self.late = True
            self.end()
            raise SubmissionTimeout(self.deadline.seconds) from None
        except Closed:
            raise SubmissionDied(self._why()) from None
        except BadFrame as trouble:
            raise self.nonsense(trouble) from None
        except BaseException:  # an interrupt, say: what comes next would answer this question
            self.end()
            raise

    def _why(self) -> str:
        code = self.end(_PATIENCE)
        if code is None:
            return "the code closed its process's connection to the grader, and was ended"
        return limits.of_ending(code)

    def nonsense(self, trouble: Exception | str) -> SubmissionDied:
        """End the worker, whose answers nothing more can be believed of; the reason to raise."""
        self.end()
        return SubmissionDied(f"the code's process gave an answer that makes no sense: {trouble}")

    def _error(self, told: Mapping[str, Any]) -> SubmissionError:
        kind, text = str(told["kind"])[:_MOST_NAME], str(told["text"])
        frames = tuple(self._frame(*frame) for frame in told["frames"][:_MOST_FRAMES])
        return remote_class(str(told["base"]))(kind, text, frames)

    def _frame(self, file: str, line: int, function: str) -> Frame:
        texts = {self._sources.file(name): text for name, text in self._sources.texts.items()}
        lines = texts[file].splitlines()
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        return Frame(file, int(line), str(function)[:_MOST_NAME], text)

    def _taken(self, answer: Header, memory: Memory, asked: Question, number: int) -> Any:
        places.refuse_strange(memory)
        asked.update(memory, answer.get("moved", {}), answer.get("modes", []))
        layouts = answer["tensors"]
        incoming = Incoming(layouts, asked.memory | memory, asked.tensors)
        wanted = [n for n, layout in enumerate(layouts) if layout["grad"]]
        if wanted:
            self._tie(incoming.tensors, wanted, asked.tensors, number)
        return incoming.value(answer["result"], self._made)

    def _tie(
        self, outputs: list[Tensor], wanted: list[int], inputs: list[Tensor], number: int
    ) -> None:
        # A tied output must not share memory with an input: autograd would not know.
        copies = [outputs[n].clone(memory_format=torch.preserve_format) for n in wanted]
        total = len(outputs)

        def backward(gradients: list[Tensor | None]) -> Any:
            given: list[Tensor | None] = [None] * total
            for n, gradient in zip(wanted, gradients, strict=True):
                given[n] = gradient
            return self.ask("backward", (number, given))

        weakref.finalize(backward, self._forgotten.append, number)
        for n, tied in zip(wanted, bridge.tie(copies, inputs, backward), strict=True):
            outputs[n] = tied

    def _made(self, kind: str, content: Any, incoming: Incoming) -> Any:
        del incoming
        if kind != "module" or type(content) is not int:
            raise BadFrame(f"a value of no known kind: {kind!r:.40}")
        return self._module(content)


class Question:
    """A value on its way to a worker, and the caller's tensors in it."""

    def __init__(self, value: Any) -> None:
        self._linears: list[nn.Linear] = []
        self._outgoing = Outgoing("a", self._node)
        node = self._outgoing.node(value)
        layouts, self.memory = self._outgoing.pack()
        self.tensors = self._outgoing.tensors
        self.header = {"value": node, "tensors": layouts}

    def update(self, memory: Memory, moved: Mapping[str, Any], modes: list[bool]) -> None:
        """Do to the caller's tensors and modules what the call did to its own copies."""
        for name in self.memory.keys() & memory.keys():
            self.memory[name].copy_(memory.pop(name))
        for index, layout in moved.items():
            there = places.placed(layout, self.memory)
            with torch.no_grad():
                where = (there.shape, there.stride(), there.storage_offset())
                self.tensors[int(index)].as_strided_(*where)
        for linear, mode in zip(self._linears, modes, strict=True):
            linear.training = bool(mode)

    def _node(self, value: Any) -> Node:
        number = getattr(value, "number", None)
        if isinstance(number, int):
            return {"module": number}
        if type(value) is nn.Linear:
            self._linears.append(value)
            return {"linear": self._linear(value)}
        raise TypeError(
            f"a {type(value).__name__} cannot be given to a submission: tensors, plain values, "
            f"its own modules and nn.Linear can"
        )

    def _linear(self, linear: nn.Linear) -> dict[str, Any]:
        bias = linear.bias
        return {
            "weight": self._outgoing.node(linear.weight)["tensor"],
            "bias": None if bias is None else self._outgoing.node(bias)["tensor"],
            "training": linear.training,
        }
