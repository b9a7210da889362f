"""Dates and times of files."""

from datetime import UTC

import pytest

from dynapages.files.dates import DateFormats, FormatUnknown, parse_moment
from dynapages.files.import_options import month_names


class TestMoments:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("2023-01-05", "2023-01-05T00:00:00+00:00"),
            ("2023-01-05 12:30", "2023-01-05T12:30:00+00:00"),
            ("2023-01-05 12:30:01", "2023-01-05T12:30:01+00:00"),
            ("2023-01-05T12:30:01Z", "2023-01-05T12:30:01+00:00"),
            ("2023-01-05t12:30:01z", "2023-01-05T12:30:01+00:00"),
            ("2023-01-05 12:30:01 UTC", "2023-01-05T12:30:01+00:00"),
            ("2023-01-05T12:30:01.5+02:00", "2023-01-05T10:30:01.500000+00:00"),
            ("2023-01-05T00:30:01,123456789 +0200", "2023-01-04T22:30:01.123456+00:00"),
            ("2023-01-05T00:30:01-05", "2023-01-05T05:30:01+00:00"),
            ("2023-01-31T24:00", "2023-02-01T00:00:00+00:00"),
            ("2023-01-31 24:00:00.0+02:00", "2023-01-31T22:00:00+00:00"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00+00:00"),
            ("2017-01-01T00:59:60.5+01:00", "2017-01-01T00:00:00.500000+00:00"),
            ("1672921801", "2023-01-05T12:30:01+00:00"),
            ("1672921801250", "2023-01-05T12:30:01.250000+00:00"),
        ],
    )
    def test_are_read_as_utc(self, text, expected):
        moment = parse_moment(text)
        assert moment.isoformat() == expected
        assert moment.tzinfo is UTC

    @pytest.mark.parametrize(
        "text",
        [
            *("", "yesterday", "05.01.2023", "2023-13-01", "2023-02-30", "20230105", "123"),
            *("2023-01-05T25:00", "2023-01-05T12:30:60Z", "0000-01-01", "2023-W01-1"),
            *("2023-01-05T24:01", "2023-01-05T24:00:00.1", "2023-01-05T23:59:61Z"),
            *("2023-01-05T23:59:60+01:00", "9999-12-31T24:00", "9999-12-31T23:59:60Z"),
            *("0001-01-01T00:00+01:00", "9999-12-31T23:59-01:00", "2023-01-05X10:00", "²" * 10),
        ],
    )
    def test_are_refused_when_they_are_none(self, text):
        with pytest.raises(ValueError, match="“"):
            parse_moment(text)


class TestFormats:
    @pytest.mark.parametrize(
        ("formats", "locale", "text", "expected"),
        [
            (("%d/%m/%Y",), "", "05/01/2023", "2023-01-05"),
            (("%m/%d/%Y", "%d.%m.%Y"), "", "05.01.2023", "2023-01-05"),
            (("%B %d, %Y",), "", "January 5, 2023", "2023-01-05"),
            (("%d de %B de %Y",), "es", "5 de enero de 2023", "2023-01-05"),
            ((), "es", "2 de marzo de 2024", "2024-03-02"),
            ((), "en", "Mar 2, 2024", "2024-03-02"),
            ((), "de", "2. März 2024", "2024-03-02"),
            ((), "pt-br", "2 de mar. de 2024", "2024-03-02"),
            ((), "pl", "2 marca 2024", "2024-03-02"),
            ((), "ru", "2 марта 2024", "2024-03-02"),
            ((), "es", "2024-03-02", "2024-03-02"),
        ],
    )
    def test_are_tried_before_the_usual_ones(self, formats, locale, text, expected):
        dates = DateFormats(formats, month_names(locale) if locale else {})
        assert dates.parse(text).date().isoformat() == expected

    @pytest.mark.parametrize(
        ("formats", "locale", "text"),
        [
            (("%B %Y",), "", "March 2019"),
            (("%m/%Y", "%d/%m/%Y"), "", "03/2019"),
            (("%B %Y",), "nl", "maart 2019"),
            *(((), "nl", "maart 2019"), ((), "en", "Mar. 2019"), ((), "hu", "2019. március")),
        ],
    )
    def test_of_a_month_are_its_first_day_and_say_so(self, formats, locale, text):
        dates = DateFormats(formats, month_names(locale) if locale else {})
        assert dates.parse(text).isoformat() == "2019-03-01T00:00:00+00:00"
        assert dates.is_without_day(text)

    @pytest.mark.parametrize("text", ["1 maart 2019", "2019-03-01", "2019 maart 1 10:00", "x"])
    def test_of_the_first_day_of_a_month_lack_none(self, text):
        assert not DateFormats((), month_names("nl")).is_without_day(text)

    def test_may_name_a_time_and_a_zone(self):
        dates = DateFormats(("%d.%m.%Y %H:%M %z",), {})
        assert dates.parse("05.01.2023 12:30 +0200").isoformat() == "2023-01-05T10:30:00+00:00"
        named = DateFormats((), month_names("fr"))
        assert named.parse("12 décembre 2023 14:05").isoformat() == "2023-12-12T14:05:00+00:00"

    def test_that_do_not_fit_are_named(self):
        with pytest.raises(ValueError, match="“2023/5” is no date in the format %d/%m/%Y"):
            DateFormats(("%d/%m/%Y",)).parse("2023/5")

    @pytest.mark.parametrize(
        "bad", ["DD/MM/YYYY", "%d/%m", "%a %d/%m", "%Q", "", "%Y", "%d %Y", "%B"]
    )
    def test_need_a_month_and_a_year(self, bad):
        with pytest.raises(FormatUnknown, match="is no format of a year, a month and maybe a day"):
            DateFormats((bad,))

    def test_need_a_language_that_has_names_of_months(self):
        with pytest.raises(FormatUnknown, match="“xx” is no language of dates"):
            month_names("xx")
