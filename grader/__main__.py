"""`python -m grader …`: the commands, without nox."""

from .cli import main

main()
