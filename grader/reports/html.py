"""A student's page: one HTML file that needs no network and no script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from markupsafe import Markup

from ..course import Course
from ..record import CheckResult, Isolation, StageResult, Status, SubmissionResult
from .pages import policy, render
from .redacted import for_student
from .words import UNFINISHED, reasons, sentence, totals


@dataclass(frozen=True)
class Figures:
    """Figures for a page, as HTML of ours, and what they need once a page.

    Attributes:
        by_stage: an HTML fragment by stage's name; nothing in it is escaped again.
        css: their style sheet.
        script: their script; with it the page runs this one script and no other.
    """

    by_stage: Mapping[str, str] = field(default_factory=dict)
    css: str = ""
    script: str = ""


NO_FIGURES = Figures()


@dataclass(frozen=True)
class Marked:
    """What a person marked, or is still to mark.

    Attributes:
        title: what was asked.
        answer: what the student wrote; text, which is not taken for HTML or Markdown.
        score: points so far.
        max_score: what it is worth.
        waiting: whether nobody has looked at it yet.
        comment: what the person wrote to the student.
    """

    title: str
    answer: str
    score: float
    max_score: float
    waiting: bool = False
    comment: str = ""


@dataclass(frozen=True)
class Book:
    """What a gradebook adds to a result: its own total, and what people marked."""

    score: float
    max_score: float
    late_penalty: float = 0.0
    marked: tuple[Marked, ...] = ()


@dataclass(frozen=True)
class Section:
    """One stage on the page, its checks sorted by what there is to say of them."""

    number: int
    title: str
    stage: StageResult
    figure: Markup

    @property
    def failures(self) -> list[CheckResult]:
        """Checks with a message to read, the first failure first."""
        return [check for check in self._failed() if check.message]

    @property
    def wordless(self) -> list[CheckResult]:
        """Failed checks of which only title and verdict are told: the hidden ones."""
        return [check for check in self._failed() if not check.message]

    @property
    def passed(self) -> list[CheckResult]:
        """Passed checks, with or without a remark."""
        return [check for check in self.stage.checks if check.status is Status.PASSED]

    @property
    def unjudged(self) -> list[CheckResult]:
        """Checks that could not be judged on this machine."""
        return [check for check in self.stage.checks if check.status is Status.NOT_JUDGED]

    @property
    def reasons(self) -> list[str]:
        """Why they could not be judged, each reason once."""
        return reasons(self.stage.checks)

    @property
    def sentence(self) -> str:
        """What to tell first, for the summary at the top: a hidden failure's title at worst."""
        return sentence(self.stage)

    def _failed(self) -> list[CheckResult]:
        bad = {Status.FAILED, Status.ERROR}
        return [check for check in self.stage.checks if check.status in bad]


def student_page(
    result: SubmissionResult,
    course: Course,
    isolation: Isolation,
    figures: Figures | None = None,
    book: Book | None = None,
) -> str:
    """The page of one submission, without what students may not read.

    Args:
        result: the submission as it stands in the record.
        course: gives titles and the order of stages.
        isolation: of the record; a page says when nothing kept the submission from the grader.
        figures: pictures beside stages.
        book: what a gradebook adds, where there is one.
    """
    figures = figures or Figures()
    result = for_student(result)
    sections = [section(stage, course, figures) for stage in result.stages]
    return render(
        "student.html",
        course=course,
        result=result,
        totals=totals(result),
        sections=sections,
        next=next((s for s in sections if s.stage.status in UNFINISHED), None),
        isolation=isolation,
        book=book,
        css=Markup(figures.css),  # noqa: S704 - ours
        script=Markup(figures.script),  # noqa: S704 - ours
        policy=policy(figures.script),
    )


def section(stage: StageResult, course: Course, figures: Figures = NO_FIGURES) -> Section:
    """One stage of a result that went through `for_student`, sorted for a page."""
    figure = Markup(figures.by_stage.get(stage.stage, ""))  # noqa: S704 - ours
    number = course.names.index(stage.stage) + 1
    return Section(number, course.stage(stage.stage).title, stage, figure)
