"""Known answers: wrong ones, with the sentence a learner is told, and right ones all the same.

`tests/mistakes/<stage>.py` and `tests/variants/<stage>.py` are lists of small functions, each of
which stands in for one function (or class) of the stage:

    bank = Bank(__name__, instead_of="row_softmax", read="stages/softmax.html#the-formula")

    @bank.mistake("Every column of your weights sums to 1; each row must.", "Which axis …?")
    def columns(scores: Tensor) -> Tensor: ...

    @bank.compound("columns", "no_shift")
    def columns_no_shift(scores: Tensor) -> Tensor: ...

    MISTAKES, COMPOUNDS = bank.mistakes, bank.compounds

The function's name makes the id, here `softmax/columns`. How an answer becomes a whole module,
to be run like any submission, is in `splice.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from textwrap import dedent
from typing import Any, TypeVar

from .splice import definition

T = TypeVar("T", bound=Callable[..., Any])


@dataclass(frozen=True)
class Answer:
    """One known answer."""

    id: str
    """`stage/name`, stable: records and class pictures count by it."""
    replaces: str
    """The function or class of the stage that it stands in for."""
    source: str
    """Its definition under that name, with the imports and helpers that it needs."""

    @property
    def stage(self) -> str:
        """The stage that it belongs to."""
        return self.id.partition("/")[0]


@dataclass(frozen=True)
class Mistake(Answer):
    """A wrong answer, and what to say to somebody whose answer behaves the same."""

    sentence: str
    """What is wrong, true of everybody who makes this mistake."""
    question: str
    """One question whose answer leads to the repair."""
    read: str
    """Where to read, as an address inside the docs: `stages/softmax.html#the-formula`."""
    evidence: str = ""
    """The learner's own figures, `"your columns sum to {column_sums}"`; see `figures.py`."""
    twins: tuple[str, ...] = ()
    """Ids of mistakes that no input of the stage can tell from this one; all are named."""


@dataclass(frozen=True)
class Compound(Answer):
    """Several mistakes in one function; each of them is named."""

    parts: tuple[str, ...]
    """Ids of the mistakes."""


@dataclass(frozen=True)
class Variant(Answer):
    """A right answer that looks different, and why it is right."""

    sentence: str


class Bank:
    """Collects the known answers of one stage, in the order in which they are written.

    Args:
        module: `__name__` of the file, whose last part is the stage's name.
        instead_of: the function that answers stand in for, where they do not say otherwise.
        read: where to read about a mistake that does not say otherwise.
    """

    def __init__(self, module: str, *, instead_of: str = "", read: str = "") -> None:
        self._stage = module.rpartition(".")[2]
        self._instead_of = instead_of
        self._read = read
        self._mistakes: list[Mistake] = []
        self._compounds: list[Compound] = []
        self._variants: list[Variant] = []

    def mistake(
        self,
        sentence: str,
        question: str,
        *,
        evidence: str = "",
        read: str = "",
        instead_of: str = "",
        twins: Sequence[str] = (),
    ) -> Callable[[T], T]:
        """Note the decorated function as a mistake; the arguments are the fields of `Mistake`."""

        def note(answer: T) -> T:
            head = self._head(answer, instead_of)
            where, same = read or self._read, self._ids(twins)
            self._mistakes.append(Mistake(*head, sentence, question, where, evidence, same))
            return answer

        return note

    def compound(self, *parts: str, instead_of: str = "") -> Callable[[T], T]:
        """Note the decorated function as several mistakes at once, given by their names."""

        def note(answer: T) -> T:
            self._compounds.append(Compound(*self._head(answer, instead_of), self._ids(parts)))
            return answer

        return note

    def variant(self, sentence: str, *, instead_of: str = "") -> Callable[[T], T]:
        """Note the decorated function as right, for the reason in the sentence."""

        def note(answer: T) -> T:
            self._variants.append(Variant(*self._head(answer, instead_of), sentence))
            return answer

        return note

    def pairs(
        self,
        template: str,
        steps: Mapping[str, Mapping[str, str]],
        *,
        instead_of: str = "",
        without: Sequence[frozenset[str]] = (),
    ) -> None:
        """Note every two mistakes in different steps of one function as a compound.

        Args:
            template: the function's text, with `{step}` where each step belongs.
            steps: for each step, expressions by the name of the mistake that they make; the right
                one has the name "".
            instead_of: the function that is replaced.
            without: pairs of names that are left out, because one hides the other.
        """
        choices = [(step, name) for step, forms in steps.items() for name in forms if name]
        right = {step: forms[""] for step, forms in steps.items()}
        for (step, name), (other, second) in combinations(choices, 2):
            if step != other and frozenset({name, second}) not in without:
                forms = {step: steps[step][name], other: steps[other][second]}
                text = dedent(template).strip().format_map({**right, **forms})
                id_ = f"{self._stage}/{name}+{second}"
                parts = self._ids((name, second))
                replaces = instead_of or self._instead_of
                self._compounds.append(Compound(id_, replaces, text, parts))

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The mistakes so far."""
        return tuple(self._mistakes)

    @property
    def compounds(self) -> tuple[Compound, ...]:
        """The compounds so far."""
        return tuple(self._compounds)

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The variants so far."""
        return tuple(self._variants)

    def _head(self, answer: Callable[..., Any], instead_of: str) -> tuple[str, str, str]:
        replaces = instead_of or self._instead_of
        return f"{self._stage}/{answer.__name__}", replaces, definition(answer, replaces)

    def _ids(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(f"{self._stage}/{name}" for name in names)
