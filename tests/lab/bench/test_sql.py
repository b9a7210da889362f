"""``manage.py bench peers``: the site beside PostgreSQL, and a shop that knows nothing of it."""

import pytest
from django.conf import settings
from django.db import connections

from dynapages.django.options import Progress
from dynapages.engine.server import find_dynoxide
from lab.bench.pages import WrongAnswer
from lab.bench.run import Options, run_benchmarks, sections_of
from lab.sql_comparison.postgres import PostgresMissing, require_programs
from tests.support.project import PROJECT
from tests.test_rooms import below, offenders

PAGE_SIZE = 4
OPTIONS = Options(
    parts=("peers",),
    comments=60,
    seasonal=1,
    orders=1,
    queued=1,
    pages=(1, 10),
    turns=1,
    seconds=0.1,
    imported=1,
)
QUIET = Progress(shown=False)


@pytest.fixture(scope="module")
def programs():
    if find_dynoxide(PROJECT) is None:
        pytest.skip("dynoxide is not installed")
    try:
        return require_programs()
    except PostgresMissing as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def found(programs, django_db_blocker):
    with pytest.MonkeyPatch.context() as patch, django_db_blocker.unblock():
        patch.setattr("lab.bench.sql.WARM_UP", 0)
        patch.setattr(settings, "PAGE_SIZE", PAGE_SIZE)
        return run_benchmarks(OPTIONS, progress=QUIET)


@pytest.mark.slow
@pytest.mark.real_engine
class TestPeers:
    def test_are_timed_on_both_sides_at_each_depth(self, found):
        pages = found.where(part="peers", metric="page.median_ms").by("list", "page")
        assert list(pages)[:4] == [
            ("product page", 1),
            ("no filter", 1),
            ("no filter", 10),
            ("no filter", 15),
        ]
        assert all(one.names("reader") == ["site", "sql"] for one in pages.values())

    def test_are_reported_with_ratios_and_the_limits_of_every_page(self, found):
        (section,) = sections_of(found)
        text = section.markdown(folder="benchmarks")
        assert "| list by OFFSET | list ÷ SQL | page ÷ SQL |" in text
        assert "| whole page ÷ SQL's | 1 |" in text
        assert "| list read ÷ SQL's | 2 |" in text

    def test_are_not_timed_where_sql_answers_otherwise(
        self, programs, django_db_blocker, monkeypatch
    ):
        monkeypatch.setattr(settings, "PAGE_SIZE", PAGE_SIZE)
        monkeypatch.setattr("lab.sql_comparison.models.POSITIVE", (1,))
        with django_db_blocker.unblock(), pytest.raises(WrongAnswer, match="shown by SQL"):
            run_benchmarks(OPTIONS, progress=QUIET)


class TestTheShop:
    def test_has_no_sql_database(self):
        assert set(settings.DATABASES) <= {"default"}  # Django's own placeholder
        assert connections["default"].settings_dict["ENGINE"] == "django.db.backends.dummy"

    def test_imports_nothing_of_sql(self):
        assert offenders(below("dynapages", "shop", "comments", "demo", "config"), "psycopg") == []
