"""One run: what requests take, the check behind the proxy, and the forecast; and its report."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings

from demo.sample.orders import REGULAR
from dynapages.django.options import Progress
from dynapages.items import item_bytes
from dynapages.lists import dollars
from dynapages.process import client
from lab.reports.plots import Panel, Plot, Series
from lab.reports.results import Results, Row, Value, rows
from lab.reports.tables import Section, section
from lab.scale.check import DIVISOR, Agreement, compare, open_shop
from lab.scale.forecast import Forecast, Names, forecast, needs_of
from lab.scale.limits import COLLECTION_BYTES, MOST_ACTIONS, QUERY_BYTES, TABLE_UNITS, Limits
from lab.scale.proxy import READS
from lab.scale.simulation import Traffic, small_traffics, traffics
from lab.scale.visits import KINDS, Measured, Shop, measure
from shop import keys
from shop.table import TABLE

REQUESTS, FORECAST, REMEDIES, CHECK = "requests", "forecast", "remedies", "check"
RATES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
TOLD = (1_000, 100_000, 10_000_000)
"""The rates of the tables; plots have all."""
CHECKED_PRODUCTS = 3
TIMES = 6
"""How often a request is measured."""
PERCENT = 100


@dataclass(frozen=True, slots=True)
class ScaleOptions:
    """How many seconds each traffic of the check lasts, by the proxy's clock."""

    seconds: int = 40
    comments: int = 6_000
    seed: int = 1


def run_scale(options: ScaleOptions, *, progress: Progress) -> Results:
    """Measure, check and forecast. Raises EngineError, Disagreement and WronglyFailed."""
    with open_shop(comments=options.comments) as shop:
        chosen = shop.products[:CHECKED_PRODUCTS]
        with progress.step("Requests", total=TIMES + 1, unit=" times") as advance:
            measured = measure(shop, chosen, times=TIMES, advance=advance)
        names = Names(
            *(chosen[0], shop.categories[chosen[0]], shop.comments[chosen[0]]),
            settings.DYNAMODB_TABLE_PREFIX,
        )
        facts = dict(_facts(measured, shop))
        small = small_traffics(options.seconds)
        with progress.step("Check", total=len(small) * options.seconds, unit=" s") as advance:
            agreements = check(shop, measured, small, seed=options.seed, advance=advance)
    with progress.step("Forecasts", total=len(RATES) * len(small), unit="") as advance:
        forecasts: dict[int, list[Forecast]] = {rate: [] for rate in RATES}
        for rate in RATES:
            for traffic in traffics(rate):
                forecasts[rate].append(forecast(measured, names, traffic, seed=options.seed))
                advance(1)
    return Results(
        (
            *_request_rows(measured, names),
            *rows(REQUESTS, facts),
            *(row for some in forecasts.values() for row in _forecast_rows(some, names)),
            *(row for one in agreements for row in _check_rows(one, names)),
        )
    )


def check(
    shop: Shop,
    measured: Measured,
    small: Sequence[Traffic],
    *,
    seed: int,
    advance: Callable[[int], object],
) -> list[Agreement]:
    """Compare the simulation with the proxy for some traffic, at a thousandth of the limits."""
    limits = Limits().divided(DIVISOR)
    return [
        compare(shop, measured, traffic, limits, seed=seed, advance=advance) for traffic in small
    ]


def _facts(measured: Measured, shop: Shop) -> Iterator[tuple[str, int]]:
    """Yield what there is of the limits that are not units a second."""
    calls = [c for samples in measured.samples.values() for one in samples for c in one]
    queries = [call.response_bytes for call in calls if call.operation == "Query"]
    yield "actions", max(call.actions for call in calls)
    yield "most_actions", MOST_ACTIONS
    yield "query_share", round(QUERY_BYTES / max(queries))
    for what, key in (
        ("orders", keys.user(REGULAR)),
        ("edges", keys.category(shop.categories[shop.products[0]])),
    ):
        shop.proxy.paused = True
        found = client().query(
            TableName=TABLE,
            KeyConditionExpression="pk = :p",
            ExpressionAttributeValues={":p": {"S": key}},
        )["Items"]
        sizes = [item_bytes(dict(item)) for item in found]
        yield what, int(COLLECTION_BYTES / (sum(sizes) / len(sizes)))
    shop.proxy.paused = False


def _request_rows(measured: Measured, names: Names) -> Iterator[Row]:
    mean = 0.0
    for kind in KINDS.values():
        calls = measured.last(kind.name, names.product)
        reads = sum(call.units for call in calls if call.operation in READS)
        writes = sum(call.units for call in calls if call.operation not in READS)
        mean += kind.share * reads
        values: dict[str, Value] = {
            "share": kind.share,
            "calls": len(calls),
            "reads": reads,
            "writes": writes,
        }
        yield from rows(REQUESTS, values, list=kind.name)
    yield Row(REQUESTS, None, None, None, "mean", round(mean, 2))
    yield Row(REQUESTS, None, None, None, "quota_pages", int(TABLE_UNITS / mean))


def _forecast_rows(forecasts: Sequence[Forecast], names: Names) -> Iterator[Row]:
    rate = int(forecasts[0].traffic.rate)
    for one in forecasts:
        first = one.bare.bottleneck
        values: dict[str, Value] = {
            "first": f"`{names.in_words(first)}`" if first else "nothing",
            "seconds": one.bare.seconds,
            "share": one.bare.share,
            "cached": one.cached.share,
            "remedied": one.remedied.share,
            "dollars": dollars(one.dollars),
            "cached_dollars": dollars(one.cached_dollars),
            "edge_dollars": dollars(one.edge_dollars),
        }
        yield from rows(FORECAST, values, list=one.traffic.name, page=rate)
    for words, need in needs_of(forecasts, names).items():
        found: dict[str, Value] = {
            "where": f"`{need.where}`",
            "partitions": need.partitions,
            "dollars": dollars(need.dollars),
        }
        yield from rows(REMEDIES, found, list=words, page=rate, reader=str(rate))


def _check_rows(one: Agreement, names: Names) -> Iterator[Row]:
    first = one.proxied.bottleneck
    values: dict[str, Value] = {
        "first": f"`{names.in_words(first)}`" if first else "nothing",
        "simulated": one.simulated.share,
        "counted": one.proxied.share,
        "ratio": max(one.ratio, 1 / one.ratio if one.ratio else float("inf")),
        "others": int(not one.has_one_bottleneck),
    }
    return rows(CHECK, values, list=one.traffic.name)


def sections_of(found: Results) -> list[Section]:
    """Write the sections of a run."""
    forecasts = found.where(part=FORECAST)
    checked, requests = found.where(part=CHECK), found.where(part=REQUESTS)
    quiet, *told = TOLD
    return [
        section(
            "scale-requests", requests, groups={"kinds": Results(r for r in requests if r.list)}
        ),
        section(
            "scale-forecast",
            forecasts.where(page=tuple(told)),
            groups={
                "remedies": found.where(part=REMEDIES, page=tuple(told)),
                "steady": forecasts.where(list="steady", page=TOLD),
            },
            plots=[_shares_plot(forecasts)],
            quiet=quiet,
            throttled_quietly=max(forecasts.where(page=quiet).numbers("share")),
            still=max(forecasts.where(page=TOLD).numbers("remedied")),
        ),
        section(
            "scale-check",
            checked,
            plots=[_check_plot(checked)],
            furthest=max(checked.numbers("ratio")),
            others=sum(checked.numbers("others")),
        ),
    ]


def _shares_plot(found: Results) -> Plot:
    def series(metric: str) -> Series:
        return {
            name: (RATES, [PERCENT * n for n in found.where(list=name).numbers(metric)])
            for name in found.names("list")
        }

    panels = (("share", "as it is"), ("cached", "behind caches"))
    return Plot(
        "shares",
        "The share of throttled calls by pages a second, as the site is and behind caches",
        [[Panel("lines", title, series(metric)) for metric, title in panels]],
        below="pages a second at the peak",
        left=["% of calls throttled"],
    )


def _check_plot(found: Results) -> Plot:
    names = found.names("list")
    columns = {"simulated": "simulated", "counted by the proxy": "counted"}
    series = {
        title: (range(len(names)), [PERCENT * n for n in found.numbers(metric)])
        for title, metric in columns.items()
    }
    return Plot(
        "check",
        "The share of throttled calls, simulated and counted by the proxy",
        [[Panel("bars", "", series, names)]],
        below="% of calls throttled",
        size=(11, 3),
        is_logarithmic=False,
    )
