"""``bench throughput``: how many pages a second the site serves, and the same from PostgreSQL.

Both are gunicorn with the settings of ``deploy/``, two processes each, and are visited in turns by
clients that keep their connections alive, and wait for no one but the server. Visits are drawn by
Zipf's law (`lab.bench.visits`). Clients, servers and databases share the machine: only the two
sides can be compared, not the rates with those of another machine.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from random import Random

from django.conf import settings

from demo.processes import LOCAL_ENVIRONMENT, WORKERS, DemoConfig, serving
from dynapages.django.options import Progress
from dynapages.engine.child import free_port
from dynapages.process import current_connection
from lab.bench.clients import Throughput, visit
from lab.bench.data import ManyProducts
from lab.bench.engines import copied, data_file
from lab.bench.site import open_site
from lab.bench.visits import zipf_visits
from lab.report import Limit, Section, Table
from lab.sql_comparison import models
from lab.sql_comparison.pages import create_catalogue, new_catalogue, sides
from lab.sql_comparison.postgres import connected, running

SQL_APPLICATION = "lab.sql_comparison.wsgi:application"
CLIENTS = (4, 16)
"""How many clients visit at the same time: as many as a process works for at once, and more."""
TURN_SECONDS = 5.0
WARM_UP_SECONDS = 3.0
VISITS_DRAWN = 2_000
"""Visits of a client, after which it begins anew."""
MOST_OF_ONE_PROCESS = 0.65
"""How much of the processor's time one of the two processes may take."""


@dataclass(frozen=True, slots=True)
class Server:
    """A side that is running: its name, the pid of its first process, its port, what it has."""

    name: str
    pid: int
    port: int
    data: ManyProducts


def measure_throughput(*, comments: int, turns: int, fresh: bool, progress: Progress) -> Section:
    """Serve both sides, and visit them. Raises EngineError, DemoFailed, FileBusy and PageFailed."""
    site_side, sql_side = sides(comments)
    file = data_file(site_side.data, fresh=fresh, progress=progress)
    with ExitStack() as stack:
        sql_port = stack.enter_context(running(folder=settings.VAR_DIR / "bench"))
        products, categories = new_catalogue(sql_side.data)
        with (
            connected(sql_port),
            progress.step("Loading PostgreSQL", total=sql_side.data.count, unit="") as advance,
        ):
            version = models.load(
                sql_side.data.comments(),
                products=products,
                categories=categories,
                advance=advance,
            )
        stack.enter_context(open_site(stack.enter_context(copied(file))))
        create_catalogue(site_side.data)
        servers = [
            stack.enter_context(_server(site_side.name, site_side.data)),
            stack.enter_context(_server(sql_side.name, sql_side.data, sql_port=sql_port)),
        ]
        served = _visit_in_turns(servers, turns=turns, progress=progress)
    limits = []
    for (name, clients), each in served.items():
        what = f"{name}, {clients} clients: the busier process's share"
        limits.append(Limit(what, MOST_OF_ONE_PROCESS, each.busiest_share))
    text = (
        f"gunicorn with {WORKERS} processes; PostgreSQL {version}. Visits by Zipf's law to "
        f"{site_side.data.products} products with {comments:,} comments."
    )
    return Section("Pages a second", [text], [_table(served, turns=turns)], limits)


@contextmanager
def _server(name: str, data: ManyProducts, *, sql_port: int | None = None) -> Iterator[Server]:
    """Serve a side within the block, by gunicorn; without a port of PostgreSQL it is the site."""
    connection = current_connection()
    environment = {
        **os.environ,
        **LOCAL_ENVIRONMENT,
        "DYNAMODB_ENDPOINT_URL": str(connection.endpoint_url),
        "DYNAMODB_TABLE_PREFIX": settings.DYNAMODB_TABLE_PREFIX,
        "SECRET_KEY": settings.SECRET_KEY,
    }
    application = ""
    if sql_port is not None:
        application = SQL_APPLICATION
        environment["SQL_PORT"] = str(sql_port)
    config = DemoConfig(free_port(), environment, application=application)
    with serving(config) as child:
        yield Server(name, child.pid, config.port, data)


def _visit_in_turns(
    servers: Sequence[Server], *, turns: int, progress: Progress
) -> Mapping[tuple[str, int], Throughput]:
    """Visit each server with each number of clients in each turn; return what it served."""
    served = {(server.name, clients): Throughput() for clients in CLIENTS for server in servers}
    for server in servers:
        _visit(server, max(CLIENTS), WARM_UP_SECONDS, Throughput())
    total = turns * len(served)
    with progress.step("Visiting", total=total, unit=" turns") as advance:
        for _ in range(turns):
            for clients in CLIENTS:
                for server in servers:
                    _visit(server, clients, TURN_SECONDS, served[server.name, clients])
                    advance(1)
    return served


def _visit(server: Server, clients: int, seconds: float, served: Throughput) -> None:
    """Visit a server with some clients, each of which goes on for some seconds."""
    paths = []
    for number in range(clients):
        paths.append(_paths_of_client(server.data, number))
    visit(server.port, server.pid, paths, seconds=seconds, served=served)


def _paths_of_client(data: ManyProducts, number: int) -> list[str]:
    random = Random(number)  # noqa: S311 - which pages, not a secret
    visits = islice(zipf_visits(data.products, random), VISITS_DRAWN)
    return [each.path(data.product_ids[each.product]) for each in visits]


def _table(served: Mapping[tuple[str, int], Throughput], *, turns: int) -> Table:
    rows = []
    for (name, clients), each in served.items():
        rows.append(
            (
                name,
                clients,
                round(each.pages_a_second),
                round(1_000 * each.latency(0.5), 1),
                round(1_000 * each.latency(0.95), 1),
                round(1_000 * each.processor_of_a_page, 1),
                f"{each.busiest_share:.0%}",
                each.refused,
            )
        )
    titles = (
        *("from", "clients", "pages a second", "p50", "p95"),
        *("processor", "busier process", "refused"),
    )
    caption = (
        f"Pages a second, the milliseconds of a page (p50, p95, of the processor), the busier "
        f"process's share of these, and pages refused, of {turns} turns of {TURN_SECONDS:g} seconds"
    )
    return Table(caption, titles, rows)
