"""Results as they come: SQLite in a file, or PostgreSQL by URL, with the same tables.

A result is kept under what it follows from: the submission's digest, a digest of everything that
judged it, and the seed epoch. Whoever stores one a second time changes nothing, so a run may be
killed at any moment and go on, and several may work at once. Only a result of which more could be
judged, speed above all, takes the place of another one.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import sqlalchemy as sql
from sqlalchemy.dialects import postgresql, sqlite

from ..course import CourseError
from ..record import SubmissionResult, submission_from_dict, submission_to_dict

_TABLES = sql.MetaData()
_RESULTS = sql.Table(
    "results",
    _TABLES,
    sql.Column("submission", sql.String(64), primary_key=True),
    sql.Column("suite", sql.String(64), primary_key=True),
    sql.Column("seed", sql.String(64), primary_key=True),
    sql.Column("result", sql.Text, nullable=False),
)
_EPOCHS = sql.Table(
    "epochs",
    _TABLES,
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("seed", sql.String(64), nullable=False),
)
_INSERTS: Mapping[str, Callable[[sql.Table], Any]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}
_WAIT = 30
"""Seconds for another run to finish writing."""


@dataclass(frozen=True)
class Key:
    """What a result follows from."""

    submission: str
    """The submission's digest."""
    suite: str
    """Digest of everything else that a verdict rests on; see `task.basis`."""
    seed: str
    """What hidden inputs are drawn from."""


class Store:
    """Results by key, and the seed of the present epoch. A context manager; for one thread.

    Args:
        url: a file's path, or a database's URL as SQLAlchemy has it.

    Raises:
        CourseError: the database cannot be reached, or is of a kind that is not known.
    """

    def __init__(self, url: str) -> None:
        try:
            self._engine = sql.create_engine(url if "://" in url else _file(Path(url)))
            self._insert = _INSERTS[self._engine.dialect.name]
            if self._engine.dialect.name == "sqlite":
                sql.event.listen(self._engine, "connect", _write_ahead)
            _TABLES.create_all(self._engine)
        except KeyError:
            raise CourseError(f"A store is one of {', '.join(_INSERTS)}, not {url!r}.") from None
        except (sql.exc.SQLAlchemyError, ImportError, OSError) as error:
            raise CourseError(f"The store {url!r} cannot be opened: {error}") from None

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._engine.dispose()

    def seed(self) -> str:
        """The seed of the present epoch; the first one is drawn here."""
        return self._newest()[1] or self._begin(1)

    def renew(self) -> str:
        """Begin an epoch: a fresh seed, under which nothing has been judged."""
        return self._begin(self._newest()[0] + 1)

    def _begin(self, number: int) -> str:
        """Begin an epoch of this number; of those who do so at once, one draws the seed for all."""
        self._add(_EPOCHS, number=number, seed=secrets.token_hex(16))
        return self._newest()[1]

    def has(self, key: Key, complete: bool = False) -> bool:
        """Whether there is a result; where `complete` is asked for, one that lacks nothing."""
        if self._found(key, _RESULTS.c.seed) is None:
            return False
        return not complete or self.get(key).complete

    def get(self, key: Key) -> SubmissionResult:
        """A result.

        Raises:
            KeyError: there is none.
        """
        text = self._found(key, _RESULTS.c.result)
        if text is None:
            raise KeyError(key)
        return submission_from_dict(json.loads(text))

    def put(self, key: Key, result: SubmissionResult) -> None:
        """Keep a result for good; one that is there already stays, unless it tells less."""
        # As ASCII: no database takes the lone surrogates that a submission may put into a message.
        text = json.dumps(submission_to_dict(result))
        submission, suite, seed = astuple(key)
        new = self._add(_RESULTS, submission=submission, suite=suite, seed=seed, result=text)
        if not new and result.max_judged > self.get(key).max_judged:
            with self._engine.begin() as connection:
                connection.execute(sql.update(_RESULTS).where(*_same(key)).values(result=text))

    def _newest(self) -> tuple[int, str]:
        query = sql.select(_EPOCHS).order_by(_EPOCHS.c.number.desc()).limit(1)
        with self._engine.connect() as connection:
            row = connection.execute(query).first()
        return (row.number, row.seed) if row else (0, "")

    def _found(self, key: Key, column: sql.Column[Any]) -> Any:
        with self._engine.connect() as connection:
            return connection.execute(sql.select(column).where(*_same(key))).scalar()

    def _add(self, table: sql.Table, **row: Any) -> bool:
        """Add a row, and say whether it is new."""
        insert = self._insert(table).values(row).on_conflict_do_nothing()
        with self._engine.begin() as connection:
            return connection.execute(insert.returning(sql.literal(1))).first() is not None


def _same(key: Key) -> Iterator[sql.ColumnElement[bool]]:
    names = (_RESULTS.c.submission, _RESULTS.c.suite, _RESULTS.c.seed)
    return (name == value for name, value in zip(names, astuple(key), strict=True))


def _file(path: Path) -> str:
    """URL of an SQLite file that only its owner may read: it holds the seed."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    return f"sqlite:///{path}"


def _write_ahead(connection: Any, _record: Any) -> None:
    """Let readers read while somebody writes, and wait for other writers."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(f"PRAGMA busy_timeout={_WAIT * 1000}")
