"""Dates are written as Django writes them, in less time."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.test import override_settings
from django.utils.formats import FORMAT_SETTINGS, date_format, reset_format_cache
from django.utils.translation import override
from hypothesis import example, given
from hypothesis import strategies as st

from dynapages.django import moments
from dynapages.django.moments import date_text

FORMS = sorted(
    name for name in FORMAT_SETTINGS if name.endswith(("DATE_FORMAT", "DATETIME_FORMAT"))
)
FORMS += ["YEAR_MONTH_FORMAT", "MONTH_DAY_FORMAT", "TIME_FORMAT"]
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
zones = st.integers(-840, 840).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments_of_any_zone = st.datetimes(timezones=zones | st.just(UTC))
letters = "aAbcdDeEfFgGhHiIjlLmMnNoOPrsStTuUwWyYzZ"
known = "djmnyYHGisFM"
patterns = st.text(st.sampled_from(f"{known * 3}{letters}.,:-/ {{}}%\\年'"), max_size=12)
"""Formats of dates: Django's letters, and what may stand between them."""


@pytest.fixture(params=["this site's", "Django's own"])
def formats(request):
    """The formats of languages: of this project, and of one without any."""
    own = {} if request.param == "this site's" else {"FORMAT_MODULE_PATH": None}
    with override_settings(**own):
        forget_formats()
        yield
    forget_formats()


def forget_formats():
    reset_format_cache()
    moments._pattern.cache_clear()


@pytest.mark.usefixtures("formats")
@pytest.mark.parametrize("language", ["en", "de", "fr", "ja", None])
@pytest.mark.parametrize("form", FORMS)
def test_a_date_is_as_django_writes_it_in_each_month(language, form):
    with override(language):
        for month in range(1, 13):
            at = datetime(2026, month, 5, 7, 8, 9, tzinfo=UTC)
            assert date_text(at, form) == date_format(at, form)


@pytest.mark.parametrize("language", ["en", "de"])
@given(at=moments_of_any_zone)
def test_any_moment_is_as_django_writes_it(language, at):
    with override(language):
        for form in FORMS:
            assert date_text(at, form) == date_format(at, form)


@example(at=NOON, pattern="j F M", language="de")
@example(at=NOON, pattern="\\Y Y", language="de")
@given(at=moments_of_any_zone, pattern=patterns, language=st.sampled_from(["en", "de"]))
def test_a_format_of_ones_own_is_as_django_writes_it(at, pattern, language):
    with override(language):
        assert date_text(at, pattern) == date_format(at, pattern)


def test_the_formats_of_this_site_need_no_django(monkeypatch):
    monkeypatch.setattr(moments, "date_format", lambda at, form: pytest.fail(f"{form} is slow"))
    for language in ("en", "de"):
        with override(language):
            for form in (moments.SHORT_DATE, moments.LONG_MOMENT, "YEAR_MONTH_FORMAT"):
                date_text(NOON, form)
