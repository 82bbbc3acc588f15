from functools import cache

from grader.devices.cost import ROWS, Counts, counts, table
from grader.record import Cost, StageResult
from grader.subject.in_process import InProcess
from grader.subject.protocol import Sources
from harness.devices import heads
from harness.suite.judging import judged
from stages.probes.gpu import costed

LOOPED = heads.WRONG_HEADS["a loop over tokens"][0]
MISPLACED = heads.WRONG_HEADS["a tensor of the CPU"][0]


def counted(text: str) -> Counts:
    return counts(InProcess(Sources("gpu", {"gpu": text})), costed)


def found(text: str) -> dict[str, Cost]:
    return {row.what: row for row in table(counted(text), counted(heads.SOLUTION))}


def test_the_reference_costs_as_much_as_itself() -> None:
    rows = found(heads.SOLUTION)
    assert all(row.yours == row.reference for row in rows.values())
    assert rows["operations"].yours > 0
    assert rows["bytes allocated"].yours > 0
    assert rows["copies between device and host"].yours == 0
    assert rows["tensors made on the host"].yours == 0


def test_a_loop_over_tokens_shows_in_the_operations() -> None:
    rows = found(heads.WRONG_HEADS["a loop over tokens"][0])
    assert rows["operations"].times > 5


def test_a_round_trip_shows_in_the_copies() -> None:
    rows = found(heads.WRONG_HEADS["a round trip"][0])
    assert rows["copies between device and host"].yours == 2
    assert rows["operations"].times < 2


def test_a_tensor_of_the_host_shows() -> None:
    rows = found(heads.WRONG_HEADS["a tensor made on the CPU and moved"][0])
    assert rows["tensors made on the host"].yours == 1


def test_a_tensor_of_the_cpu_leaves_what_needs_no_accelerator() -> None:
    assert list(found(MISPLACED)) == ["operations", "bytes allocated"]


@cache
def results() -> dict[str, StageResult]:
    answers = {"looped": LOOPED, "right": heads.SOLUTION, "misplaced": MISPLACED}
    return judged("gpu", answers | {"broken": heads.with_forward("return x.nothing")})


def test_every_submission_gets_its_own_table_whatever_the_verdict() -> None:
    looped = {row.what: row.yours for row in results()["looped"].cost}
    assert looped == {what: row.yours for what, row in found(LOOPED).items()}
    assert [row.yours for row in results()["right"].cost] == list(counted(heads.SOLUTION).values())
    assert set(looped) == set(ROWS)
    assert results()["broken"].cost == ()


def test_a_tensor_of_the_cpu_is_no_loop() -> None:
    lost = {check.id for check in results()["misplaced"].checks if check.message}
    assert lost == {"gpu.placement"}
