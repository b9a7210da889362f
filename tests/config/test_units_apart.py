"""Where units are shown, what an engine counts and what Amazon DynamoDB takes are told apart.

They differ where calls depend on which of the two answers. So each module with such calls is named
here, and each that shows a meter's units without those of Amazon, with the reason why it may.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.project import PROJECT
from tests.test_rooms import NOT_THE_PRODUCT, PACKAGES

DEPENDS_ON_THE_ENGINE = {
    "config/settings.py": "finds out which it is",
    "config/checks.py": "makes no calls",
    "dynapages/django/apps.py": "has the setting's default",
    "dynapages/django/management/commands/create_tables.py": "prints no units",
    "comments/store/derived.py": "sends transactions `instead_of_batches`, which the meter knows",
}
SAME_CALLS = {
    "config/examples.py": "pages of lists: reads",
    "dynapages/calls/costs.py": "blocks of tests, which say what they allow of this database",
    "dynapages/ninja/lists.py": "pages of lists: reads",
    "dynapages/upkeep/migrations.py": "transactions on either; units a second of this database",
    "shop/accounts/sessions.py": "answers of pages, which write nothing in bulk",
}
OF_A_METER = re.compile(r"\b(?:meter|figures)\.units\b")


def sources() -> Iterator[tuple[str, str]]:
    """Yield the paths of the project's modules, and their texts."""
    for package in PACKAGES:
        for path in sorted((PROJECT / package).rglob("*.py")):
            if not any(path.is_relative_to(folder) for folder in NOT_THE_PRODUCT):
                yield _named(path), path.read_text(encoding="utf-8")


def _named(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def test_modules_whose_calls_depend_on_the_engine_are_known():
    found = {name for name, text in sources() if "DYNAMODB_IS_AN_ENGINE" in text}
    assert found == DEPENDS_ON_THE_ENGINE.keys()


def test_modules_that_show_units_show_those_of_amazon_where_they_may_differ():
    shows = {name: text for name, text in sources() if OF_A_METER.search(text)}
    assert {name for name, text in shows.items() if "amazon_units" not in text} == SAME_CALLS.keys()
