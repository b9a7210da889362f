"""Dates and times of files."""

from datetime import UTC, date, datetime

import pytest
from babel.dates import format_date
from hypothesis import given
from hypothesis import strategies as st

from dynapages.files.date_names import NO_NAMES, FormatUnknown, date_names
from dynapages.files.dates import DateFormats, parse_moment

LOCALES = (
    *("ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "en_GB", "es", "et", "fa", "fi", "fr"),
    *("he", "hi", "hr", "hu", "id", "it", "ja", "ko", "lt", "lv", "mr", "nb", "nl", "no", "pl"),
    *("pt", "pt_PT", "ro", "ru", "sk", "sl", "sr", "sv", "sw", "ta", "te", "th", "tr", "uk", "vi"),
    *("zh", "zh_Hant"),
)
"""Languages in which dates are written and read again."""


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
            ("1672921801250999", "2023-01-05T12:30:01.250999+00:00"),
            ("1672921801250999123", "2023-01-05T12:30:01.250999+00:00"),
            ("1588687728.923", "2020-05-05T14:08:48.923000+00:00"),
            ("1588687728.0", "2020-05-05T14:08:48+00:00"),
            ("946684800", "2000-01-01T00:00:00+00:00"),
            ("946684800000", "2000-01-01T00:00:00+00:00"),
            ("23673600000", "1970-10-02T00:00:00+00:00"),
            ("-23673600000", "1969-04-02T00:00:00+00:00"),
            ("-946684800", "1940-01-02T00:00:00+00:00"),
            ("-9999999999", "1653-02-10T06:13:21+00:00"),
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
            *("20230105123001", "-123", "1588687728.", "12345678901234", "12345678901234567"),
            *("9" * 20, "9" * 40, "- 946684800", "+946684800", "1e9"),
            *("2023-01-05T24:01", "2023-01-05T24:00:00.1", "2023-01-05T23:59:61Z"),
            *("2023-01-05T23:59:60+01:00", "9999-12-31T24:00", "9999-12-31T23:59:60Z"),
            *("0001-01-01T00:00+01:00", "9999-12-31T23:59-01:00", "2023-01-05X10:00", "²" * 10),
        ],
    )
    def test_are_refused_when_they_are_none(self, text):
        with pytest.raises(ValueError, match="“"):
            parse_moment(text)

    @pytest.mark.parametrize("text", ["20230105", "202301051230", "199912312359"])
    def test_without_marks_are_said_to_need_a_format(self, text):
        with pytest.raises(ValueError, match="give --date-format, such as %Y%m%d"):
            parse_moment(text)


class TestNamedMonths:
    @pytest.mark.parametrize(
        ("locale", "text", "expected"),
        [
            ("zh", "2024年3月5日", "2024-03-05T00:00"),
            ("zh", "2024年12月5日 14:30", "2024-12-05T14:30"),
            ("zh", "2024年3月5日 下午2:30", "2024-03-05T14:30"),
            ("zh-Hant", "2024年3月5日 上午12:05:06", "2024-03-05T00:05:06"),
            ("ja", "2024年3月5日火曜日 9時05分", "2024-03-05T09:05"),
            ("ko", "2024년 3월 5일 오후 2:30", "2024-03-05T14:30"),
            ("ko", "2024년 11월 5일", "2024-11-05T00:00"),
            ("vi", "5 tháng 3, 2024", "2024-03-05T00:00"),
            ("vi", "ngày 5 tháng 12 năm 2024", "2024-12-05T00:00"),
            ("vi", "14:30:00 5 thg 3, 2024", "2024-03-05T14:30"),
            ("vi", "Thứ Ba, 5 tháng 3, 2024", "2024-03-05T00:00"),
            ("th", "5 มีนาคม 2567", "2024-03-05T00:00"),
            ("th", "5 มี.ค. 2567 14:30 น.", "2024-03-05T14:30"),
            ("th", "5 มีนาคม ค.ศ. 2024", "2024-03-05T00:00"),
            ("fi", "5. maaliskuuta 2024", "2024-03-05T00:00"),
            ("fi", "tiistai 5. maaliskuuta 2024 klo 14.30", "2024-03-05T14:30"),
            ("hi", "5 मार्च 2024", "2024-03-05T00:00"),
            ("hi", "५ मार्च २०२४", "2024-03-05T00:00"),
            ("no", "5. mars 2024", "2024-03-05T00:00"),
            ("nb_NO", "tirsdag 5. mars 2024 kl. 14:30", "2024-03-05T14:30"),
            ("he", "5 במרץ 2024", "2024-03-05T00:00"),
            ("ar", "5 مارس 2024", "2024-03-05T00:00"),
            ("de", "Dienstag, 5. März 2024 um 14:30 Uhr", "2024-03-05T14:30"),
            ("fr", "mardi 5 mars 2024 à 14h30", "2024-03-05T14:30"),
            ("es", "5 sept 2024", "2024-09-05T00:00"),
            ("en", "Sept. 5, 2024", "2024-09-05T00:00"),
            ("en", "TUE, 5 MAR 2024", "2024-03-05T00:00"),
            ("en", "March 5, 2024, 12:30:00 AM", "2024-03-05T00:30"),
            ("en", "March 5, 2024 at 2:30 p.m.", "2024-03-05T14:30"),
            ("en", "Tue, 5 Mar 2024 14:30:00 +0200", "2024-03-05T12:30"),
            ("en", "5 Mar 2024 14:30 UTC-05", "2024-03-05T19:30"),
            ("en", "5 Mar 2024 14:30 GMT", "2024-03-05T14:30"),
            ("en", "Mar 5, 2024 2:30 PM +0200", "2024-03-05T12:30"),
            ("en", "05-Mar-2024", "2024-03-05T00:00"),
            ("en", "2024-Mar-05", "2024-03-05T00:00"),
            ("th", "29 กุมภาพันธ์ 2567", "2024-02-29T00:00"),
            ("tr", "12 NİSAN 2024", "2024-04-12T00:00"),
            ("tr", "12 KASIM 2024", "2024-11-12T00:00"),
            ("en", "5 \u017fept 2024", "2024-09-05T00:00"),
        ],
    )
    def test_are_read_in_the_ways_of_their_language(self, locale, text, expected):
        moment = DateFormats((), date_names(locale)).parse(text)
        assert moment == datetime.fromisoformat(f"{expected}Z")

    def test_need_no_blanks_in_a_format(self):
        dates = DateFormats(("%Y年%B%d日",), date_names("ja"))
        assert dates.parse("2024年3月5日").date().isoformat() == "2024-03-05"

    @pytest.mark.parametrize(
        ("locale", "text"),
        [
            ("it", "mar 5 mar 2024"),
            ("en", "Ma 5 2024"),
            ("en", "5 Marchand 2024"),
            ("vi", "5 tháng 13, 2024"),
            ("ja", "2024年13月5日"),
            ("en", "31 February 2024"),
            ("en", "5 March 24"),
            ("th", "29 กุมภาพันธ์ 2569"),
            ("en", "5 March 2024" + 200 * " " + "x"),
            ("en", "1 January 0001 00:00 +02:00"),
            ("en", "31 December 9999 23:59 -02:00"),
        ],
    )
    def test_that_have_no_one_reading_are_refused(self, locale, text):
        with pytest.raises(ValueError, match="“"):
            DateFormats((), date_names(locale)).parse(text)

    @pytest.mark.parametrize("zone", ["PST", "CEST", "MSK"])
    def test_with_an_unknown_time_zone_are_refused(self, zone):
        with pytest.raises(ValueError, match=f"names the time zone {zone}: dates are in UTC, or"):
            DateFormats((), date_names("en")).parse(f"5 March 2024 14:30 {zone}")

    @given(
        st.sampled_from(LOCALES),
        st.dates(date(1990, 1, 1), date(2100, 1, 1)),
    )
    def test_of_each_language_are_read_as_they_are_written(self, locale, day):
        written = format_date(day, "long", locale=locale)
        assert DateFormats((), date_names(locale)).parse(written).date() == day


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
        dates = DateFormats(formats, date_names(locale) if locale else NO_NAMES)
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
        dates = DateFormats(formats, date_names(locale) if locale else NO_NAMES)
        assert dates.parse(text).isoformat() == "2019-03-01T00:00:00+00:00"
        assert dates.is_without_day(text)

    @pytest.mark.parametrize("text", ["1 maart 2019", "2019-03-01", "2019 maart 1 10:00", "x"])
    def test_of_the_first_day_of_a_month_lack_none(self, text):
        assert not DateFormats((), date_names("nl")).is_without_day(text)

    def test_may_name_a_time_and_a_zone(self):
        dates = DateFormats(("%d.%m.%Y %H:%M %z",))
        assert dates.parse("05.01.2023 12:30 +0200").isoformat() == "2023-01-05T10:30:00+00:00"
        named = DateFormats((), date_names("fr"))
        assert named.parse("12 décembre 2023 14:05").isoformat() == "2023-12-12T14:05:00+00:00"

    @pytest.mark.parametrize("text", ["0001-01-01 00:00 +0200", "9999-12-31 23:59 -0200"])
    def test_of_moments_outside_the_calendar_are_refused(self, text):
        with pytest.raises(ValueError, match="is no date in the format"):
            DateFormats(("%Y-%m-%d %H:%M %z",)).parse(text)

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
            date_names("xx")
