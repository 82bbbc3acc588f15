"""The command `gpu`: without an accelerator, and with the CPU in the part of one."""

import pytest
import torch
import typer

from grader.commands import maintainer
from grader.devices import chain
from harness.suite.judging import ROOT


def test_without_an_accelerator_one_sentence_and_exit_code_4(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(chain, "found", lambda _: None)
    with pytest.raises(typer.Exit) as left:
        maintainer.gpu()
    assert left.value.exit_code == 4
    told = "PyTorch finds no accelerator on this machine, so nothing was run.\n"
    assert capsys.readouterr() == ("", told)


def test_with_one_the_timed_stages_are_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    judged: list[str] = []
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(chain, "found", lambda _: torch.device("cpu"))
    monkeypatch.setattr(
        maintainer, "check", lambda path, stages, *_: judged.extend([str(path), *stages])
    )
    maintainer.gpu()
    assert judged == ["solutions", "gpu"]
    assert capsys.readouterr().out.startswith("On cpu (")
