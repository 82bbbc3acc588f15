"""What judges a learner's own work, in this process: nobody has to be kept from anything."""

from __future__ import annotations

from collections.abc import Mapping

from .chain import load, run_chain
from .course import Course, Stage
from .diagnosis import diagnoser
from .diagnosis.engine import Diagnoser
from .judge import Judge
from .record import Chain, Status
from .subject.alone import Alone
from .subject.in_process import InProcess
from .subject.protocol import Sources
from .submission import Submission, read_folder
from .suite.session import Suites


def alone(sources: Sources, stage: Stage) -> Alone:
    """A stage of the learner's, to be called outside of the suites."""
    return Alone(sources, stage.forbidden)


def own_diagnoser(course: Course) -> Diagnoser:
    """Names mistakes by calling the learner's code in this process."""
    return diagnoser(course, alone)


def own_judge(course: Course, suites: Suites, diagnose: Diagnoser, *, whole: bool) -> Judge:
    """A judge of a learner's own work.

    Args:
        course: the course.
        suites: the collected suites of the stages to judge.
        diagnose: names mistakes.
        whole: whether all stages are judged, so that their chain can be.
    """

    def chain(submission: Submission) -> Chain:
        if not whole:
            return Chain(Status.NOT_JUDGED, "Only some stages were asked for.")
        return run_chain(course, load(course), submission, alone)

    return Judge(
        course,
        suites,
        reference=reference(course),
        open=lambda sources, stage: InProcess(sources, stage.forbidden),
        diagnose=diagnose,
        chain=chain,
    )


def reference(course: Course) -> Mapping[str, str]:
    """The solutions' texts by module; empty in a bundle for students, which has none."""
    folder = course.root / "solutions"
    return read_folder(folder, course.names).texts if folder.is_dir() else {}
