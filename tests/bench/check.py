"""How long a learner waits for `nox -s check`, next to what importing torch alone takes.

Meant: at most 2.2 times on untouched stubs, at most 3.5 times with all stages solved.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import paired
from grader import course as courses
from grader import stubs

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".nox" / "learner" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
ROUNDS = 9


def main() -> None:
    """Print both ratios."""
    run([sys.executable, "-m", "nox", "-s", "stubs", "--", "--check"], ROOT)
    with tempfile.TemporaryDirectory() as folder:
        untouched, solved = (copy(Path(folder) / name) for name in ("untouched", "solved"))
        for name in courses.load(ROOT).names:
            shutil.copy(ROOT / "solutions" / f"{name}.py", solved / "exercises")
        nox = [sys.executable, "-m", "nox", "-s", "check"]
        things = {
            "import torch": lambda: run([str(PYTHON), "-c", "import torch"], ROOT),
            "untouched stubs": lambda: run(nox, untouched),
            "all stages solved": lambda: run(nox, solved),
        }
        taken = paired.seconds(things, ROUNDS)
    print(f"import torch: {paired.spread(taken['import torch'])} s")
    for name, ratio in paired.ratios(taken, to="import torch").items():
        print(f"nox -s check, {name}: {ratio} times that")


def copy(folder: Path) -> Path:
    """The course with fresh stubs, in a folder of its own that shares the environment."""
    kept = shutil.ignore_patterns(".git", ".nox", "__pycache__", "node_modules")
    shutil.copytree(ROOT, folder, ignore=kept)
    (folder / ".nox").symlink_to(ROOT / ".nox")
    for name in courses.load(ROOT).names:
        text = stubs.pristine(courses.load(ROOT), name)
        (folder / "exercises" / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def run(command: list[str], folder: Path) -> None:
    """Run a command to its end, whatever its verdict."""
    subprocess.run(command, cwd=folder, capture_output=True, check=False)
