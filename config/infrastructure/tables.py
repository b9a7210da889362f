"""The tables that ``create_tables`` makes, with what an operator wants of them besides."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.module_loading import import_string

from dynamo.tables.schema import TableSchema, Throughput
from shop.activity.months import months_ahead
from shop.activity.tables import model_of, wanted_throughput


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the site.

    One that is not ``is_kept`` belongs to a month of the activity log: ``rotate_activity_tables``
    drops it in the end, which deletion protection would prevent.
    """

    schema: TableSchema
    is_kept: bool = True

    @property
    def name(self) -> str:
        """The table's name, with the prefix of all tables."""
        return self.schema.name

    @property
    def logical_id(self) -> str:
        """What a template calls the table: ``CommentSetsTable``, ``Activity202611Table``."""
        own = self.name.removeprefix(settings.DYNAMODB_TABLE_PREFIX)
        return f"{camel(own)}Table"


def tables(
    *, now: datetime, provisioned: Throughput | None = None, with_months: bool = True
) -> list[Table]:
    """Return the tables of the models, and those of this month and the next.

    ``provisioned`` is the capacity of the models' tables, which are otherwise billed on demand; the
    settings say that of the months.
    """
    models = [import_string(name) for name in settings.DYNAMODB_MODELS]
    kept = [Table(TableSchema.of(model, provisioned)) for model in models]
    months = months_ahead(now) if with_months else ()
    capacity = wanted_throughput()
    return kept + [
        Table(TableSchema.of(model_of(month), capacity), is_kept=False) for month in months
    ]


def tags() -> list[dict[str, str]]:
    """Return the tags of every table, by which bills can be divided."""
    return [
        {"Key": "application", "Value": "dynashop"},
        {"Key": "table-prefix", "Value": settings.DYNAMODB_TABLE_PREFIX},
    ]


def camel(name: str) -> str:
    """Return a name in the letters that a logical id may have: ``by_set`` is ``BySet``."""
    words = "".join(each if each.isalnum() else " " for each in name).split()
    return "".join(word[0].upper() + word[1:] for word in words)
