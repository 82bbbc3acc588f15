"""The store: what was put into it stays, once, whoever puts it and wherever it is kept."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sql

from grader.batch.store import Key, Store
from grader.course import CourseError
from grader.record import StageResult, Status
from harness.batch import databases
from harness.records import ALICE, BOB, EVE

KEY = Key("a" * 64, "b" * 64, "c" * 32)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a store may be."""
    if request.param == "sqlite":
        yield str(tmp_path / "results.sqlite")
        return
    with databases.emptied() as emptied:
        yield emptied


@pytest.mark.parametrize("result", [ALICE, BOB, EVE])
def test_a_result_comes_back_as_it_was(url: str, result: object) -> None:
    with Store(url) as store:
        assert not store.has(KEY)
        with pytest.raises(KeyError):
            store.get(KEY)
        store.put(KEY, result)  # type: ignore[arg-type]
        for other in ("submission", "suite", "seed"):
            assert not store.has(replace(KEY, **{other: "d"}))
    with Store(url) as store:
        assert store.has(KEY)
        assert store.get(KEY) == result


def test_what_no_database_can_hold_as_it_is(url: str) -> None:
    odd = replace(ALICE, id="lone \udc80, zero \0, 李", path="\ud800")
    with Store(url) as store:
        store.put(KEY, odd)
        assert store.get(KEY) == odd


def test_the_first_result_stays(url: str) -> None:
    with Store(url) as store:
        store.put(KEY, EVE)
        store.put(KEY, BOB)
        assert store.get(KEY) == EVE


def test_a_result_of_which_more_was_judged_takes_the_place_of_another(url: str) -> None:
    whole = replace(ALICE, stages=tuple(judged(stage) for stage in ALICE.stages))
    with Store(url) as store:
        store.put(KEY, ALICE)
        assert store.has(KEY)
        assert not store.has(KEY, complete=True)
        store.put(KEY, whole)
        assert store.get(KEY) == whole
        assert store.has(KEY, complete=True)
        store.put(KEY, ALICE)
        assert store.get(KEY) == whole


def judged(stage: StageResult) -> StageResult:
    """The stage where everything in it could be judged."""
    failed = [
        replace(check, status=Status.FAILED) if check.status is Status.NOT_JUDGED else check
        for check in stage.checks
    ]
    return replace(stage, checks=tuple(failed))


def test_many_writers_and_one_row_each(url: str) -> None:
    keys = [replace(KEY, submission=str(number)) for number in range(20)]
    with Store(url):
        pass  # it has its tables

    def write(writer: int) -> str:
        with Store(url) as store:
            for key in keys:
                store.put(key, replace(ALICE, seconds=float(writer)))
            return store.seed()

    with ThreadPoolExecutor(4) as pool:
        seeds = list(pool.map(write, range(4)))
    assert len(set(seeds)) == 1
    with Store(url) as store:
        assert {store.get(key).id for key in keys} == {ALICE.id}
        engine = sql.create_engine(url if "://" in url else f"sqlite:///{url}")
        with engine.connect() as connection:
            assert connection.execute(sql.text("SELECT count(*) FROM results")).scalar() == 20
        engine.dispose()


def test_an_epoch_lasts_until_the_next(url: str) -> None:
    with Store(url) as store:
        first = store.seed()
    with Store(url) as store:
        assert store.seed() == first
        second = store.renew()
        assert store.seed() == second != first
        assert len(second) == 32
    with Store(url) as store:
        assert store.seed() == second


def test_runs_that_begin_at_once_draw_one_seed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(url) as early, Store(url) as late:
        look, seen = late._newest, iter([late._newest()])  # before the other has drawn
        monkeypatch.setattr(late, "_newest", lambda: next(seen, None) or look())
        assert early.seed() == late.seed() == early.seed()


def test_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    file = tmp_path / "results.sqlite"
    with Store(str(file)) as store:
        store.put(KEY, ALICE)
        modes = [stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()]
    assert set(modes) == {0o600}
    with sqlite3.connect(file) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("mysql+pymysql://host/name", "store"),
        ("oracle://host/name", "store"),
        ("nonsense://", "store"),
        ("postgresql+psycopg://nobody@/none?host=/nowhere", "cannot be opened"),
        ("/nowhere/results.sqlite", "cannot be opened"),
    ],
)
def test_a_store_that_cannot_be_opened(url: str, told: str) -> None:
    with pytest.raises(CourseError, match=told):
        Store(url)
