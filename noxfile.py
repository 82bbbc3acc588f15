"""The commands of the course: `nox -s NAME -- ARGS`; `nox --list` tells what there is.

Sessions for learners share one environment, sessions for instructors another, sessions for
maintainers a third. pip runs again only when the requirements have changed.
"""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.5"
nox.options.sessions = ["check"]
# Sessions share environments, so that PyTorch is installed once for each kind of reader.
nox.options.default_venv_backend = "none"
# nox says in every run where it looked for uv; whoever reads that looks for it, too.
logging.getLogger("nox").addFilter(lambda record: "uv binary" not in record.getMessage())

ROOT = Path(__file__).parent
LEARNER, GRADING, MAINTAINER = (ROOT / ".nox" / n for n in ("learner", "grading", "maintainer"))
NO_ACCELERATOR = 4
DEVICE_TESTS = ("tests/harness/devices", "tests/harness/confined/test_accelerators.py")
REQUIREMENTS = ("pyproject.toml", "constraints.txt")
SITE, PROOF = ROOT / "docs" / "_build", ROOT / "docs" / "_generated" / "proof.md"  # committed
HTML = SITE / "html"
PROVED = ("course.toml", "solutions", "tests/stages", "tests/mistakes", "tests/variants")


def prepare(session: nox.Session, environment: Path, *extras: str) -> Path:
    """Make the environment if need be, and install into it what is not there as it should be.

    pip decides which build of torch is installed, so pip it is: a faster installer would not read
    pip's settings.

    Returns:
        The environment's folder of programs.
    """
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    if not programs.is_dir():
        run(session, sys.executable, "-m", "virtualenv", "--quiet", environment)
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in REQUIREMENTS)
    wanted = hashlib.sha256(f"{text}{sys.version}{extras}".encode()).hexdigest()
    stamp = environment / "-".join(["installed", *extras, "stamp"])
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        session.log("Installing what the course needs. This happens once and takes a few minutes.")
        pip = ("-m", "pip", "install", "--quiet", "-c", "constraints.txt")
        run(session, programs / "python", *pip, *requirements(extras))
        stamp.write_text(wanted, encoding="utf-8")
    return programs


def requirements(extras: tuple[str, ...]) -> list[str]:
    """What pyproject.toml asks for, with some of its extras and those that they name in turn."""
    project = nox.project.load_toml("pyproject.toml")["project"]
    found: list[str] = list(project["dependencies"])
    waiting = list(extras)
    while waiting:
        for line in project["optional-dependencies"][waiting.pop()]:
            own, bracket, names = line.partition("[")
            if bracket and own == project["name"]:
                waiting += names.rstrip("]").split(",")
            else:
                found.append(line)
    return sorted(set(found))


def run(session: nox.Session, *command: str | Path, **env: str) -> None:
    """Run a program from the course's folder."""
    session.run(*map(str, command), external=True, log=False, env=env)


def grader(session: nox.Session, *args: str) -> None:
    """Run one of the grader's commands in the learner's environment, and end as it ends.

    What went wrong it has said itself; nox would add lines of its own below that.
    """
    programs = prepare(session, LEARNER)
    command: list[str | Path] = [programs / "python", "-m", "grader", *args, *session.posargs]
    code = subprocess.run(command, check=False).returncode
    if code:
        sys.exit(code)


def digest(*sources: str) -> str:
    """One number for what files and folders of Python hold, wherever and whenever it is asked."""
    total = hashlib.sha256()
    for source in sources:
        for file in sorted([ROOT / source, *(ROOT / source).rglob("*.py")]):
            if file.is_file():
                text = file.read_text(encoding="utf-8")
                total.update(f"{file.relative_to(ROOT).as_posix()}\0{len(text)}\0{text}".encode())
    return total.hexdigest()


def nbgrader(session: nox.Session, command: str, *extras: str) -> None:
    """Run one of the grader's commands for nbgrader in the environment for grading."""
    programs = prepare(session, GRADING, "nbgrader", *extras)
    run(session, programs / "python", "-m", "grader", command, *session.posargs)


def gradebook(session: nox.Session) -> Path:
    """The course folder for nbgrader; the session ends with a sentence where there is none."""
    folder = ROOT / "gradebook"
    if not (folder / "nbgrader_config.py").is_file():
        session.error("There is no course for nbgrader in gradebook/ yet. Run: nox -s assignment")
    return folder


def path(programs: Path) -> str:
    """A PATH on which nbgrader finds the programs that it runs by name."""
    return os.pathsep.join([str(programs), os.environ.get("PATH", "")])


@nox.session
def check(session: nox.Session) -> None:
    """Judge exercises/, or the stages that are named."""
    grader(session, "check", "exercises")


@nox.session
def watch(session: nox.Session) -> None:
    """Judge a stage whenever it is saved."""
    grader(session, "watch", "exercises")


@nox.session
def solutions(session: nox.Session) -> None:
    """Judge solutions/ by the same suites."""
    grader(session, "check", "solutions")


@nox.session
def grade(session: nox.Session) -> None:
    """Judge many submissions, confined: nox -s grade -- PATH --out results."""
    on_cluster = any(argument.startswith("--scheduler") for argument in session.posargs)
    programs = prepare(session, GRADING, "cluster" if on_cluster else "grading")
    run(session, programs / "python", "-m", "grader", "grade", *session.posargs)


@nox.session
def assignment(session: nox.Session) -> None:
    """Make a complete course folder for nbgrader: nox -s assignment -- [FOLDER] [--modules]."""
    nbgrader(session, "assignment")


@nox.session
def autograde(session: nox.Session) -> None:
    """Grade what was handed in there, confined: nox -s autograde -- [--student …] [--jobs N]."""
    nbgrader(session, "autograde")


@nox.session
def feedback(session: nox.Session) -> None:
    """Write a page for each student, or with --class one of the whole class."""
    nbgrader(session, "feedback")


@nox.session
def enter(session: nox.Session) -> None:
    """Write marks of grade into a gradebook: nox -s enter -- results/record.json URL."""
    nbgrader(session, "enter")


@nox.session(name="nbgrader")
def in_gradebook(session: nox.Session) -> None:
    """Run nbgrader itself in gradebook/, such as: nox -s nbgrader -- export."""
    programs = prepare(session, GRADING, "nbgrader")
    with session.chdir(gradebook(session)):
        run(session, programs / "nbgrader", *session.posargs, PATH=path(programs))


@nox.session
def formgrader(session: nox.Session) -> None:
    """Open JupyterLab in gradebook/, where its formgrader finds the course."""
    programs = prepare(session, GRADING, "nbgrader")
    with session.chdir(gradebook(session)):
        run(session, programs / "jupyter", "lab", *session.posargs, PATH=path(programs))


@nox.session
def release(session: nox.Session) -> None:
    """Make what students get, without solutions: nox -s release -- [--for PLACE]."""
    nbgrader(session, "release", "docs")


@nox.session
def gpu(session: nox.Session) -> None:
    """Run every suite for devices on this machine's accelerator; exit code 4 where there is none.

    The timed stages of solutions/, then the harness's own tests and measurements of devices.
    """
    python = prepare(session, MAINTAINER, "dev") / "python"
    timed = subprocess.run([python, "-m", "grader", "gpu", *session.posargs], check=False)
    if timed.returncode == NO_ACCELERATOR:
        sys.exit(NO_ACCELERATOR)  # nox would make every failure a 1
    run(session, python, "-m", "pytest", *DEVICE_TESTS)
    run(session, python, "tests/bench", "timing")
    if timed.returncode:
        session.error("A timed stage did not pass; its report is at the top.")


@nox.session
def hint(session: nox.Session) -> None:
    """Show the next hint of a stage."""
    grader(session, "hint")


@nox.session
def compare(session: nox.Session) -> None:
    """Show a stage of yours beside the reference: nox -s compare -- softmax [--reveal]."""
    grader(session, "compare")


@nox.session
def reset(session: nox.Session) -> None:
    """Put a fresh stub into exercises/; what was there is kept beside it."""
    grader(session, "reset")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site; -- --open shows it, -- --mine serves it with your own numbers in it."""
    known = {"--open", "--mine"}
    if not known.issuperset(session.posargs):
        session.error(f"docs takes {' and '.join(sorted(known))}, and nothing else")
    python = prepare(session, LEARNER, "docs", "grading") / "python"
    made_of, wanted = PROOF.with_suffix(".sha256"), digest(*PROVED)
    if made_of.read_text(encoding="utf-8").strip() != wanted:
        session.log("Judging every known answer for the proof matrix. This takes about a minute.")
        run(session, python, "-m", "grader.diagnosis.matrix", "--out", PROOF)
        made_of.write_text(f"{wanted}\n", encoding="utf-8")
    run(session, python, "-m", "sphinx", "-W", "-n", "-q", "-d", SITE / "doctrees", "docs", HTML)
    if "--mine" in session.posargs:
        run(session, python, "-m", "grader", "live", "exercises", "--open")
    elif "--open" in session.posargs:
        run(session, python, "-m", "webbrowser", (HTML / "index.html").as_uri())


@nox.session
def explore(session: nox.Session) -> None:
    """Open the notebook of experiments in JupyterLab."""
    programs = prepare(session, LEARNER, "notebook")
    run(session, programs / "jupyter-lab", "exercises/explore.ipynb")


@nox.session
def stubs(session: nox.Session) -> None:
    """Make stubs and notebook from solutions/; with --check, only say whether they agree."""
    programs = prepare(session, MAINTAINER, "dev")
    run(session, programs / "python", "-m", "grader", "stubs", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the project's own tests, with branch coverage; -- --all leaves none of them to CI."""
    programs = prepare(session, MAINTAINER, "dev")
    args = session.posargs
    if args in ([], ["--all"]):
        args = ["-n", "auto", "--cov", "--cov-report=term", "--cov-fail-under=90", *args]
    # Commands of the tests would compile the grader anew, each of them, where no bytecode is kept.
    kept = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(MAINTAINER / "bytecode")}
    run(session, programs / "python", "-m", "pytest", *args, OMP_NUM_THREADS="1", **kept)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and types."""
    programs = prepare(session, MAINTAINER, "dev")
    run(session, programs / "ruff", "check")
    run(session, programs / "ruff", "format", "--check")
    run(session, programs / "mypy")


@nox.session
def bench(session: nox.Session) -> None:
    """Measure, as ratios in one run: nox -s bench -- check."""
    programs = prepare(session, MAINTAINER, "dev")
    run(session, programs / "python", "tests/bench", *session.posargs)
