"""Judging answers to one stage in this process, all in one session, as `check` would."""

from collections.abc import Mapping
from pathlib import Path

from grader import course as courses
from grader.judge import Judge
from grader.record import StageResult
from grader.subject.in_process import InProcess
from grader.submission import Submission, read_folder
from grader.suite.session import Suites, with_suites

ROOT = Path(__file__).parents[3]
SEED = "a seed of the tests"


def judged(stage: str, answers: Mapping[str, str]) -> dict[str, StageResult]:
    """The results of some answers to a stage: name to module text in, name to result out."""
    course = courses.load(ROOT)
    wanted = course.stage(stage)
    reference = read_folder(ROOT / "solutions", course.names).texts
    results: dict[str, StageResult] = {}

    def work(suites: Suites) -> None:
        judge = Judge(course, suites, reference, lambda s, of: InProcess(s, of.forbidden))
        for name, text in answers.items():
            results[name] = judge.stage(Submission(name, "", {stage: text}), wanted)

    with_suites(course, [wanted], SEED, work)
    return results
