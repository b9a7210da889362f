"""Tables of a test's own, with the names that the settings give them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

from django.conf import settings
from django.core.cache import cache
from django.test import override_settings
from django.utils.module_loading import import_string

from dynapages.django.tables import declared_models
from dynapages.process import client, connected, current_connection
from dynapages.tables import create_missing
from dynapages.work import worker

PATIENCE = 60.0
"""Seconds in which an engine must answer: a machine that runs tests may be very busy."""


class TablesExist(Exception):
    """There are tables of these names already, which a test would write into, and delete."""

    def __init__(self, names: list[str], endpoint_url: str) -> None:
        super().__init__(
            f"There are tables called {', '.join(names)} at {endpoint_url} already. Tests make "
            "theirs anew and delete them: have them use another engine, or another "
            "DYNAMODB_TABLE_PREFIX."
        )


@contextmanager
def own_tables(endpoint_url: str) -> Iterator[None]:
    """Connect the process to a DynamoDB, and have all tables of the settings there, empty.

    They are those of ``DYNAMODB_MODELS`` and ``DYNAMODB_TABLE_MAKERS``. ``endpoint_url`` is the
    address of an engine, such as that of `dynapages.engine.embedded` or of the fixture
    ``dynamodb_endpoint``. Within the block the process's clients go there, with keys that open
    nothing at Amazon; no thread does what is owed, see `comments.testing.finish_owed`. At its end
    the tables are deleted that it has made. It begins by clearing Django's default cache, in which
    counts of comments are kept.

    Raises TablesExist where one of the models' tables is there before, so that no data is lost, and
    botocore's errors where nothing answers.
    """
    connection = replace(
        current_connection(),
        endpoint_url=endpoint_url,
        access_key="tests",
        secret_key="tests",  # noqa: S106 - it opens nothing
        read_seconds=PATIENCE,
    )
    with (
        connected(connection),
        override_settings(PAGE_SECONDS=PATIENCE, WRITE_SECONDS=PATIENCE),
    ):
        models = declared_models()
        before = _table_names()
        taken = sorted(before & {model.Meta.table_name for model in models})
        if taken:
            raise TablesExist(taken, endpoint_url)
        cache.clear()
        ran_by_itself = worker().runs_by_itself
        worker().runs_by_itself = False
        try:
            create_missing(models, client=client())
            for name in settings.DYNAMODB_TABLE_MAKERS:
                import_string(name)(client=client(), now=datetime.now(UTC))
            yield
        finally:
            # What is put off is about these tables.
            worker().forget()
            worker().runs_by_itself = ran_by_itself
            for name in sorted(_table_names() - before):
                # Others may use the same engine at the same time, with another prefix.
                if name.startswith(settings.DYNAMODB_TABLE_PREFIX):
                    client().delete_table(TableName=name)


def _table_names() -> set[str]:
    names: set[str] = set()
    for page in client().get_paginator("list_tables").paginate():
        names.update(page["TableNames"])
    return names
