"""Whether a check and a confined run agree on every known answer: solutions, mistakes, variants.

Meant: no answer on which they differ. The tests look at a sample, as all of them take minutes.
"""

from grader.subject.confined import ladder
from harness import agreement


def main() -> None:
    """Print how many answers each stage has, and those on which the two ways differ."""
    with ladder.start() as workers:
        for stage in agreement.COURSE.stages:
            count = len(list(agreement.answers(stage)))
            differing = agreement.differing(stage, workers)
            print(f"{stage.name}: {count} answers, {len(differing)} differ", *differing)
