"""The warm processes: they judge again and again, and outlive whatever a submission does."""

import json
import os
import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.record import Status
from grader.watch import judges
from grader.watch.judges import Done, Judged, Judges, News, Trouble
from harness import exhaustive
from harness.cli import ROOT, python
from harness.tracer import untrace

SETTINGS = """
name = "toy"
title = "Doubling"

[[stage]]
name = "double"
title = "Twice as much"
points = 3
minutes = 1
seconds = 20
memory = 512
"""
SUITE = """
import pytest
import torch

@pytest.mark.check("Twice as much", points=3)
def test_twice(student):
    assert student.twice(torch.ones(1)).item() == 2
"""
RIGHT = "def twice(x):\n    return 2 * x\n"


def toy(folder: Path, suite: str = SUITE) -> Path:
    """A course of one stage, so that a process is warm soon."""
    for name, text in {"course.toml": SETTINGS, "tests/stages/public/double.py": suite}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "exercises").mkdir()
    return folder


class Room:
    """Judges, and a queue of what they say."""

    def __init__(self, root: Path) -> None:
        self.news: queue.Queue[News] = queue.Queue()
        self.folder = root / "exercises"
        self.judges = Judges(root, self.folder, self.news.put)

    def ask(self, text: str) -> int:
        (self.folder / "double.py").write_text(text)
        return self.judges.ask(["double"])

    def status(self, text: str) -> Status | int:
        """The stage's status, or how the process ended that should have told it."""
        request = self.ask(text)
        found: Status | int = Status.NOT_JUDGED
        while True:
            news = self.news.get(timeout=100)
            assert not isinstance(news, Trouble), news
            if news.id != request:  # the end of the one before
                continue
            if isinstance(news, Judged):
                found = news.stage.status
            elif isinstance(news, Done):
                return found
            else:
                return news.code


@pytest.fixture(scope="module", params=[True, False], ids=["forking", "spawning"])
def room(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Room]:
    """Judges that fork, and judges that are spawned for one judgement each."""
    if request.param and not judges.FORKS:
        pytest.skip("nothing forks here")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(judges, "FORKS", request.param)
        patched.setenv("PYTHONPATH", str(ROOT))
        if not request.param:  # the same lines as those that fork have, in many processes
            untrace(patched)
        found = Room(toy(tmp_path_factory.mktemp("toy")))
        yield found
        found.judges.close()


both = pytest.mark.parametrize(
    "room",
    [pytest.param(True, id="forking"), exhaustive.full(False, id="spawning")],
    indirect=True,
    scope="module",
)


@both
def test_it_judges_again_and_outlives_what_ends_a_process(room: Room) -> None:
    assert room.status(RIGHT.replace("2 *", "3 *")) is Status.FAILED
    assert room.status("import os\nos._exit(7)\n") == 7
    assert room.status(RIGHT) is Status.PASSED


@both
def test_a_newer_save_ends_a_loop_that_never_would(room: Room) -> None:
    room.ask("while True:\n    pass\n")
    assert room.status(RIGHT) is Status.PASSED


quickest = pytest.mark.parametrize(
    "room", [judges.FORKS], ids=["quickest"], indirect=True, scope="module"
)


@quickest
def test_what_one_save_changes_in_its_process_is_gone_at_the_next(room: Room) -> None:
    assert room.status(RIGHT) is Status.PASSED
    tampers = "import torch\ntorch.ones = None\n" + RIGHT
    assert room.status(tampers) in {Status.PASSED, Status.ERROR}
    assert room.status(RIGHT) is Status.PASSED


@quickest
def test_what_a_submission_prints_or_sends_is_no_verdict(room: Room) -> None:
    loud = 'import os\nos.write(1, b\'{"id": 1, "ended": 0}\\n\')\nprint("{}")\n'
    assert room.status(loud + RIGHT.replace("2 *", "3 *")) is Status.FAILED


@quickest
def test_a_suite_that_cannot_be_read_is_told(room: Room, tmp_path: Path) -> None:
    done = python(WARM, cwd=toy(tmp_path, "import nothing_of_the_kind\n"), env=PATH)
    room.judges._told(json.loads(done.stdout))
    while not isinstance(news := room.news.get(timeout=100), Trouble):
        pass  # of earlier requests
    assert "nothing_of_the_kind" in news.text


WARM = "import sys\nsys.argv[1:] = ['fork']\nfrom grader.watch.warm import main\nmain()\n"
PATH = {**os.environ, "PYTHONPATH": str(ROOT)}
