"""What a stage's learner would be told about a module, in this process."""

from functools import cache
from pathlib import Path

from grader import course as courses
from grader.course import Stage
from grader.diagnosis.engine import Diagnoser
from grader.record import CheckResult, Diagnosis, Status
from grader.subject import Subject
from grader.subject.in_process import InProcess
from grader.subject.protocol import Sources

ROOT = Path(__file__).parents[3]
HEAD = "import math\nimport numpy as np\nimport torch\nimport torch.nn.functional as F\n\n"
FAILED = (CheckResult("stage.check", "A check", True, Status.FAILED, 0, 1),)


def opened(sources: Sources, stage: Stage) -> Subject:
    return InProcess(sources, stage.forbidden)


@cache
def diagnoser(root: Path = ROOT) -> Diagnoser:
    return Diagnoser(courses.load(root), opened)


def told(stage: str, text: str, root: Path = ROOT) -> tuple[Diagnosis, ...]:
    """The diagnosis of a module; its earlier stages are the reference's."""
    diagnose = diagnoser(root)
    course = diagnose.course
    texts = {
        name: (ROOT / f"solutions/{name}.py").read_text(encoding="utf-8")
        for name in course.before(stage)
    }
    sources = Sources(stage, {**texts, stage: HEAD + text})
    return diagnose(course.stage(stage), sources, FAILED)


def softmax(*lines: str) -> str:
    """A module whose `row_softmax(scores)` has these lines."""
    return "def row_softmax(scores):\n" + "\n".join(f"    {line}" for line in lines)
