"""Django's connection to the lab's PostgreSQL, known to Django only while it is open.

The site has no SQL database: ``DATABASES`` stays empty.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet

from dynamo.engine import LOOPBACK
from lab.peers.postgres import USER

M = TypeVar("M", bound=Model)
ALIAS = "peers"


@contextmanager
def connected(port: int) -> Iterator[None]:
    """Let Django's ORM use the database ``ALIAS`` within the block, by one lasting connection."""
    wanted = {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": LOOPBACK,
        "PORT": str(port),
        "USER": USER,
        "NAME": "postgres",
        "CONN_MAX_AGE": None,
    }
    filled = connections.configure_settings({DEFAULT_DB_ALIAS: {}, ALIAS: wanted})
    connections.settings[ALIAS] = filled[ALIAS]
    try:
        yield
    finally:
        connections[ALIAS].close()
        del connections[ALIAS]
        del connections.settings[ALIAS]


def rows_of(model: type[M]) -> QuerySet[M]:
    """Return all rows of a model in this database."""
    return QuerySet(model, using=ALIAS)
