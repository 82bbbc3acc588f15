"""The proof as a page: for every known answer, which checks it fails and what is said of it.

python -m grader.diagnosis.matrix --out docs/_generated/proof.md
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from ..course import Course, Stage, load
from ..record import Status
from .answers import Variant
from .proof import SEED, Row, prove, with_banks


def page(course: Course, rows: Sequence[Row]) -> str:
    """The matrix as Markdown: a table for each stage, answers down, checks across."""
    by_stage: dict[str, list[Row]] = {}
    for row in rows:
        by_stage.setdefault(row.answer.stage, []).append(row)
    return "\n\n".join("\n".join(_table(course.stage(name), own)) for name, own in by_stage.items())


def _table(stage: Stage, rows: Sequence[Row]) -> Iterator[str]:
    checks = rows[0].checks
    wrong = [row for row in rows if not isinstance(row.answer, Variant)]
    right = [row for row in rows if isinstance(row.answer, Variant)]
    yield f"### {stage.title}\n"
    yield f"{len(wrong)} wrong answers, {len(right)} right ones, {len(checks)} checks.\n"
    yield from (f"{n}. {check.title}" for n, check in enumerate(checks, 1))
    yield ""
    yield f"| answer | {' | '.join(str(n + 1) for n in range(len(checks)))} | sentence |"
    yield f"|---|{':-:|' * len(checks)}---|"
    yield from (_line(row) for row in [*wrong, *right])


def _line(row: Row) -> str:
    name = row.answer.id.partition("/")[2]
    marks = " | ".join(_MARKS.get(check.status, "✗") for check in row.checks)
    return f"| `{name}` | {marks} | {said(row)} |"


def said(row: Row) -> str:
    """What is said of an answer: nothing, its own sentence, or those of several mistakes."""
    if row.told == (row.answer.id,):
        return "its own"
    return ", ".join(f"`{id_.partition('/')[2]}`" for id_ in row.told)


_MARKS: Mapping[Status, str] = MappingProxyType({Status.PASSED: "", Status.NOT_JUDGED: "?"})


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the matrix of every stage that has a bank."""
    parser = argparse.ArgumentParser(description="Judge every known answer; write the matrix.")
    parser.add_argument("--out", type=Path, help="the Markdown file; standard output without it")
    parser.add_argument("--seed", default=SEED, help="what the hidden checks draw from")
    given = parser.parse_args(arguments)
    course = load(Path.cwd())
    text = page(course, prove(course, with_banks(course), given.seed))
    if given.out is None:
        print(text)  # noqa: T201 - it was asked for
        return
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
