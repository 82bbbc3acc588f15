"""What a notebook's test cell calls in the comparison with nbgrader: a stage's checks, in place."""

from pathlib import Path

from grader import course as courses
from grader.judge import Judge
from grader.record import StageResult, Status
from grader.subject.in_process import InProcess
from grader.submission import Submission, read_folder
from grader.suite.session import Suites, with_suites


def check(root: str, name: str, text: str) -> None:
    """Judge one stage in this process, and fail if a check does."""
    course = courses.load(Path(root))
    stage = course.stage(name)
    reference = read_folder(course.root / "solutions", course.names).texts
    results: list[StageResult] = []

    def work(suites: Suites) -> None:
        judge = Judge(course, suites, reference, lambda s, stage: InProcess(s, stage.forbidden))
        results.append(judge.stage(Submission("", "", {name: text}), stage))

    with_suites(course, [stage], "a seed of the bench", work)
    assert results[0].status is Status.PASSED, results[0]
