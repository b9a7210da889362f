"""One run: what requests take, the check behind the proxy, and the forecast; and its report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings

from dynapages.django.options import Progress
from dynapages.lists import dollars
from lab.reports.plots import Panel, Plot
from lab.reports.results import Results, Row, machine_rows, rows
from lab.reports.tables import Section, section
from lab.scale.check import DIVISOR, Agreement, compare, open_shop
from lab.scale.forecast import Forecast, Names, forecast, remedy_for
from lab.scale.limits import COLLECTION_BYTES, MOST_ACTIONS, QUERY_BYTES, TABLE_UNITS, Limits
from lab.scale.simulation import small_traffics, traffics
from lab.scale.visits import KINDS, Measured, measure

PART, CHECK, FORECAST, COST, FIXED = "scale", "check", "forecast", "requests", "limits"
RATES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
TOLD = (1_000, 100_000, 10_000_000)
"""Rates of the tables; plots have all."""
TENTH = 1.1
