"""How dates are written in German; the long ones, with seconds, are for titles."""

DATE_FORMAT = "j. F Y"
SHORT_DATE_FORMAT = "j. M Y"
DATETIME_FORMAT = "j. F Y, H:i:s"
SHORT_DATETIME_FORMAT = "j. M Y, H:i"
YEAR_MONTH_FORMAT = "F Y"
