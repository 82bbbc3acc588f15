import math

import pytest

from grader.devices.cost import Row, rows
from grader.subject.in_process import InProcess
from grader.subject.protocol import Sources
from harness.devices import heads
from stages.probes.gpu import costed


def subject(text: str) -> InProcess:
    return InProcess(Sources("gpu", {"gpu": text}))


def table(text: str) -> dict[str, Row]:
    return {row.what: row for row in rows(subject(text), subject(heads.SOLUTION), costed)}


def test_the_reference_costs_as_much_as_itself() -> None:
    found = table(heads.SOLUTION)
    assert all(row.yours == row.reference for row in found.values())
    assert found["operations"].yours > 0
    assert found["bytes allocated"].yours > 0
    assert found["copies between device and host"].yours == 0
    assert found["tensors made on the host"].yours == 0


def test_a_loop_over_tokens_shows_in_the_operations() -> None:
    found = table(heads.WRONG_HEADS["a loop over tokens"][0])
    assert found["operations"].times > 5


def test_a_round_trip_shows_in_the_copies() -> None:
    found = table(heads.WRONG_HEADS["a round trip"][0])
    assert found["copies between device and host"].yours == 2
    assert found["operations"].times < 2


def test_a_tensor_of_the_host_shows() -> None:
    found = table(heads.WRONG_HEADS["a tensor made on the CPU and moved"][0])
    assert found["tensors made on the host"].yours == 1


@pytest.mark.parametrize(
    ("row", "times"), [(Row("a", 6, 3), 2), (Row("a", 0, 0), 1), (Row("a", 2, 0), math.inf)]
)
def test_times(row: Row, times: float) -> None:
    assert row.times == times
