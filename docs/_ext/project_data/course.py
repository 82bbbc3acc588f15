"""What a page says about stages comes from course.toml: their order, points and minutes."""

from grader.course import Course, Stage, load

from .markdown import MarkdownDirective, cell

COURSE = "course.toml"


class StageHeader(MarkdownDirective):
    """``{stage} NAME``: the rail of all stages with this one marked, its facts, its command."""

    required_arguments = 1

    def markdown(self) -> str:
        """The head of a stage's page."""
        course = load(self.uses(COURSE).parent)
        stage = course.stage(self.arguments[0])
        return f"{_rail(course, stage)}\n\n{_facts(course, stage)}\n"


class StageList(MarkdownDirective):
    """``{stages}``: a table of the stages, and the contents tree in the course's order."""

    def markdown(self) -> str:
        """The table, followed by the hidden tree."""
        course = load(self.uses(COURSE).parent)
        rows = "\n".join(_row(number, stage) for number, stage in enumerate(course.stages, 1))
        return (
            f"| no. | stage | file | points | minutes |\n|---|---|---|---|---|\n{rows}\n\n"
            "```{toctree}\n:hidden:\n:titlesonly:\n\n" + "\n".join(course.names) + "\n```\n"
        )


def _rail(course: Course, current: Stage) -> str:
    items = "\n".join(
        f"1. **{stage.name}**"
        if stage == current
        else f"1. {{doc}}`{stage.name} </stages/{stage.name}>`"
        for stage in course.stages
    )
    return f":::{{container}} stage-rail\n{items}\n:::"


def _facts(course: Course, stage: Stage) -> str:
    number = course.names.index(stage.name) + 1
    return (
        f"Stage {number} of {len(course.stages)} · {stage.points:g} points · "
        f"about {stage.minutes} minutes\n\n"
        f"```console\n$ nox -s check -- {stage.name}\n```"
    )


def _row(number: int, stage: Stage) -> str:
    return (
        f"| {number} | {{doc}}`{cell(stage.title)} <{stage.name}>` | `{stage.name}.py` "
        f"| {stage.points:g} | {stage.minutes} |"
    )
