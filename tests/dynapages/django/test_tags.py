"""The tags of the library: a moment."""

from datetime import UTC, datetime, timedelta, timezone

from django.template import Context, Template
from django.utils.translation import override

AT = datetime(2026, 3, 1, 23, 30, 5, tzinfo=UTC)


def rendered(at: datetime, form: str = "") -> str:
    template = Template("{% load dynapages %}{% moment at " + form + " %}")
    return template.render(Context({"at": at}))


class TestAMoment:
    def test_is_shown_in_utc(self):
        elsewhere = AT.astimezone(timezone(timedelta(hours=9)))
        assert rendered(elsewhere) == rendered(AT)
        assert 'datetime="2026-03-01T23:30:05Z"' in rendered(AT)

    def test_is_shown_to_the_second_in_its_title(self):
        assert 'title="1 March 2026, 23:30:05 UTC">1 Mar 2026<' in rendered(AT)

    def test_is_shown_in_the_form_that_is_asked_for(self):
        assert rendered(AT, '"YEAR_MONTH_FORMAT"').endswith(">March 2026</time>")

    def test_is_in_the_language_of_the_page(self):
        with override("de"):
            german = rendered(AT, '"YEAR_MONTH_FORMAT"')
        assert german.endswith(">März 2026</time>")
        assert rendered(AT, '"YEAR_MONTH_FORMAT"').endswith(">March 2026</time>")
