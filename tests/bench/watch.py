"""How long a learner waits from saving a stage to its verdict, on a warm `nox -s watch`.

Meant: at most 0.3 s at the median and 0.6 s at the 95th percentile, on two quiet cores.
"""

import queue
import statistics
import tempfile
import threading
import time
from pathlib import Path

from bench.check import ROOT, copy
from grader import course as courses
from grader.watch import saves
from grader.watch.judges import Judges
from grader.watch.loop import Event, tell
from grader.watch.session import Session

ROUNDS = 4


def main() -> None:
    """Print median and 95th percentile over all stages, right and wrong answers in turn."""
    taken: dict[str, list[float]] = {"passed": [], "failed": []}
    with tempfile.TemporaryDirectory() as folder:
        course = courses.load(copy(Path(folder) / "course"))
        exercises, names = course.root / "exercises", course.names
        texts = {name: (ROOT / f"solutions/{name}.py").read_text("utf-8") for name in names}
        events: queue.Queue[Event] = queue.Queue()
        judges = Judges(course.root, exercises, events.put)
        stop = threading.Event()
        session = Session(course, exercises, course.stages, judges.ask)
        found = saves.saved(exercises, names, stop)
        threading.Thread(target=lambda: [*map(events.put, found)], daemon=True).start()
        for number in range(ROUNDS + 1):
            for name in names:
                for verdict, text in (("passed", texts[name]), ("failed", broken(texts[name]))):
                    seconds = saved(session, events, exercises / f"{name}.py", text)
                    if number:  # the first round waits for PyTorch and the banks
                        taken[verdict].append(seconds)
        stop.set()
        judges.close()
    for verdict, values in taken.items():
        high = statistics.quantiles(values, n=20)[-1]
        print(
            f"save to verdict, {verdict}: median {statistics.median(values):.3f} s, "
            f"95th percentile {high:.3f} s, {len(values)} saves"
        )


def broken(text: str) -> str:
    """A solution whose results are all wrong: everything that it returns is doubled."""
    return text.replace("return ", "return 2 * ")


def saved(session: Session, events: "queue.Queue[Event]", file: Path, text: str) -> float:
    """Save a text; seconds until the screen with its verdict is made."""
    start = time.perf_counter()
    file.write_text(text, encoding="utf-8")
    seen = False
    while not seen or session.judging:
        event = events.get()
        seen = seen or (isinstance(event, list) and file.stem in event)
        tell(session, event)
    session.frame().lines(80, 24)
    return time.perf_counter() - start
