"""Every known mistake is caught and named, every right answer is left alone, no check is idle.

A contributor's run takes each sixteenth known answer, a whole run all of them.
"""

import io
import re
from functools import cache
from itertools import combinations, zip_longest
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from grader import course as courses
from grader.diagnosis import Mistake, Variant, proof
from grader.diagnosis.answers import Answer
from grader.diagnosis.engine import page as where
from grader.diagnosis.matrix import page
from grader.diagnosis.proof import Row, answers, needed, with_banks
from grader.record import Chain, StageResult, Status, SubmissionResult
from grader.reports import terminal
from harness import exhaustive
from harness.proof.redundant import REDUNDANT

ROOT = Path(__file__).parents[3]
COURSE = courses.load(ROOT)
STAGES = [stage.name for stage in with_banks(COURSE)]
EVERY = 16
SCREEN = 24
"""Lines of a terminal that a message may take at most."""


@cache
def known(stage: str) -> tuple[Answer, ...]:
    return answers(COURSE, COURSE.stage(stage))


@cache
def rows(stage: str) -> list[Row]:
    chosen = tuple(exhaustive.some(known(stage), EVERY))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(proof, "answers", lambda *_: chosen)
        return proof.prove(COURSE, [COURSE.stage(stage)])


def wrong(stage: str) -> list[Row]:
    return [row for row in rows(stage) if not isinstance(row.answer, Variant)]


def right(stage: str) -> list[Row]:
    return [row for row in rows(stage) if isinstance(row.answer, Variant)]


pytestmark = pytest.mark.parametrize("stage", STAGES)


# The first test judges them all, which a tracer would double, on lines that other tests reach, too.
@pytest.mark.no_cover
def test_every_mistake_loses_points(stage: str) -> None:
    assert [row.answer.id for row in wrong(stage) if not row.lost] == []


def test_every_mistake_is_named_first(stage: str) -> None:
    misnamed = {r.answer.id: r.told for r in wrong(stage) if set(r.told) != r.expected}
    assert misnamed == {}


def test_every_mistake_matches_exactly(stage: str) -> None:
    loose = {d.id for row in wrong(stage) for d in row.diagnosis if d.match != "exact"}
    assert loose == set()


def test_two_mistakes_are_told_apart_or_are_twins(stage: str) -> None:
    for a, b in combinations(wrong(stage), 2):
        twins = isinstance(a.answer, Mistake) and b.answer.id in a.answer.twins
        assert (set(a.told) == set(b.told)) == twins, (a.answer.id, b.answer.id)


def test_twins_name_each_other(stage: str) -> None:
    mistakes = {answer.id: answer for answer in known(stage) if isinstance(answer, Mistake)}
    for mistake in mistakes.values():
        for twin in mistake.twins:
            assert mistake.id in mistakes[twin].twins


def test_every_variant_gets_full_marks_and_no_remark(stage: str) -> None:
    refused = {row.answer.id: [c.message for c in row.checks if c.message] for row in right(stage)}
    assert {id_: messages for id_, messages in refused.items() if messages} == {}
    assert [row.answer.id for row in right(stage) if row.lost or row.told] == []


@pytest.mark.exhaustive  # what a sample does not need, another answer may
def test_every_check_is_needed_or_redundant_on_purpose(stage: str) -> None:
    idle = {check.id for check in rows(stage)[0].checks} - needed(wrong(stage)).keys()
    assert idle == {id_ for id_ in REDUNDANT if id_.startswith(f"{stage}.")}


def test_every_evidence_is_filled(stage: str) -> None:
    """A template whose figures are missing is left out, so a slip in it would go unseen."""
    for row in wrong(stage):
        answer = row.answer
        if isinstance(answer, Mistake) and answer.evidence:
            text = row.diagnosis[row.told.index(answer.id)].message
            beginning = answer.evidence.partition("{")[0]
            assert f"{answer.sentence} {beginning}" in text, answer.id


def test_a_message_fits_a_screen(stage: str) -> None:
    for row in wrong(stage):
        for diagnosis in row.diagnosis:
            lines = sum(len(line) // 80 + 1 for line in diagnosis.message.splitlines())
            assert lines <= SCREEN, diagnosis.id


def test_a_failure_and_what_to_do_next_fit_a_screen(stage: str) -> None:
    for row in wrong(stage):
        result = StageResult(stage, Status.FAILED, 100, row.checks, row.diagnosis)
        failure = result.first_failure()
        assert failure is not None
        screen = shown(SubmissionResult(stage, "", "", 1, (result,), Chain(Status.NOT_JUDGED)))
        lines = [*screen[screen.index(f"{stage}: {failure.title}") :], "$"]
        assert sum(max(1, -(-len(line) // 80)) for line in lines) <= SCREEN, "\n".join(lines)


def shown(result: SubmissionResult) -> list[str]:
    """The lines of a report in a terminal of 80 × 24."""
    file = io.StringIO()
    out = Console(file=file, width=80, height=SCREEN, force_terminal=True, soft_wrap=True)
    terminal.show(out, COURSE, result, lambda name, stage: f"nox -s {name} -- {stage}")
    return Text.from_ansi(file.getvalue()).plain.splitlines()


def test_reading_leads_to_a_heading(stage: str) -> None:
    for answer in known(stage):
        if isinstance(answer, Mistake):
            file, _, heading = where(answer.read).partition(", ")
            text = (ROOT / file).read_text(encoding="utf-8")
            headings = [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")]
            assert heading.strip('"') in {"", *(h.rstrip("?") for h in headings)}, answer.id
            assert answer.read.partition("#")[2] in {"", *map(slug, headings)}, answer.id


def test_the_page_has_a_line_for_each_answer_and_a_mark_for_each_loss(stage: str) -> None:
    text = page(COURSE, rows(stage))
    lines = {line.split("`")[1]: line for line in text.splitlines() if line.startswith("| `")}
    assert len(lines) == len(rows(stage))
    for row in rows(stage):
        _, name = row.answer.id.split("/")
        told = [id_.partition("/")[2] for id_ in row.told]
        said = "its own" if told == [name] else ", ".join(f"`{other}`" for other in told)
        assert lines[name].endswith(f"| {said} |")
        assert lines[name].count("✗") == len(row.lost)


def published(stage: str) -> list[str]:
    """The lines of the published page about a stage."""
    whole = (ROOT / "docs" / "_generated" / "proof.md").read_text(encoding="utf-8")
    return (
        whole[whole.index(f"### {COURSE.stage(stage).title}\n") :]
        .partition("\n\n###")[0]
        .splitlines()
    )


def named(line: str) -> str:
    """The answer that a line of the page is about, if it is about one."""
    return line.split("`")[1] if line.startswith("| `") else ""


OUT_OF_DATE = (
    "docs/_generated/proof.md is out of date. Make it anew, and commit it:  "
    "python -m grader.diagnosis.matrix --out docs/_generated/proof.md"
)


def test_the_published_page_has_every_answer(stage: str) -> None:
    names = [answer.id.partition("/")[2] for answer in known(stage)]
    assert [named(line) for line in published(stage) if named(line)] == names, OUT_OF_DATE
    right_ones = sum(isinstance(answer, Variant) for answer in known(stage))
    count = f"{len(names) - right_ones} wrong answers, {right_ones} right ones, "
    assert any(line.startswith(count) for line in published(stage)), OUT_OF_DATE


def test_the_published_page_says_what_is_found(stage: str) -> None:
    """Where it has a "?", another machine may have judged: any mark will do there."""
    found = [line for line in page(COURSE, rows(stage)).splitlines() if not is_count(line)]
    judged = {"", *map(named, found)}
    lines = [line for line in published(stage) if named(line) in judged and not is_count(line)]
    patterns = [re.escape(line).replace(r"\?", "[^|]?") for line in lines]
    both = zip_longest(patterns, found, fillvalue="")
    assert all(re.fullmatch(*pair) for pair in both), OUT_OF_DATE


def is_count(line: str) -> bool:
    """Whether a line says how many answers there are."""
    return " wrong answers, " in line


def slug(heading: str) -> str:
    """A heading's anchor, as GitHub and MyST make it."""
    kept = "".join(c for c in heading.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def test_there_are_enough_variants(stage: str) -> None:
    assert sum(isinstance(answer, Variant) for answer in known(stage)) >= 6
