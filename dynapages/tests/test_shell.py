"""What a person sees who prints an object of the library in a shell: short, and no secret."""

import tomllib
from pathlib import Path

import pytest

import dynapages
from dynapages import Feed, Index, Meter, Pool, Tokens
from dynapages.calls import Batches, Call, Connection
from dynapages.engine import FaultProxy, Rule
from dynapages.engine.server import DynoxideEngine, embedded
from dynapages.streams.checkpoints import TableCheckpoints
from dynapages.work import Queue
from dynapages.work.queues import Owed
from dynapages.writes.counters import Counters
from dynapages.writes.rate_limiter import Limiter
from dynapages.writes.shards import Shards
from dynapages.writes.transactions import Transactions
from dynapages_testing.query_model import QueryModel
from dynapages_testing.tied_lists import BY_SORT

PROJECT = Path(__file__).resolve().parents[2]
HIDDEN = "a secret of these tests"
"""What nothing may print."""


class TestTheVersion:
    def test_is_that_of_the_distribution(self):
        project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
        assert dynapages.__version__ == project["version"]


def key_of(name: str, *_: object) -> dict[str, str]:
    return {"id": name}


@pytest.fixture
def queue(client):
    return Queue("mail", "things", str, client=lambda: client)


class TestPrinting:
    def test_tokens_shows_how_they_are_signed(self):
        assert repr(Tokens(HIDDEN)) == "<Tokens signed by a KeyedSigner>"

    def test_a_feed_shows_what_it_lists(self):
        feed = Feed(BY_SORT, ["red", "blue"], client=QueryModel({"by_sort": ("p", "s")}))
        shown = "<Feed: 2 partitions in by_sort of things, newest first>"
        assert repr(feed) == shown
        assert repr(feed.page(10)) == f"<FeedPage of 0 items of {shown}>"

    def test_a_feed_of_a_table_shows_its_name(self):
        log = Index("log", partition="p", sort="s")
        named = Feed(log, ["red"], client=QueryModel({}), name="log of red", newest_first=False)
        assert repr(named) == "<Feed log of red: 1 partition in log, oldest first>"

    def test_a_connection_shows_no_secret(self):
        connection = Connection("us-east-1", access_key="AKIAEXAMPLE", secret_key=HIDDEN)
        assert "region='us-east-1'" in repr(connection)
        assert HIDDEN not in repr(connection)

    def test_a_pool_shows_its_size(self):
        assert repr(Pool(16)) == "Pool(16)"

    def test_a_meter_shows_its_sums(self):
        meter = Meter()
        call = Call("Query", "things", None, "list", 0.5, 4, "a")
        for _ in range(2_000):
            meter.add([call])
        assert repr(meter) == "<Meter of 2,000 calls, 1 round, 1,000 units>"

    def test_counters_shows_its_table(self, client):
        counters = Counters(Batches(client, Pool(4)), "visits", key_of, least_shards=2)
        for number in range(1_000):
            counters._known[f"page {number}"] = 2
        assert repr(counters) == (
            "Counters(table='visits', least_shards=2, most_shards=8, must_exist=False)"
        )

    def test_a_limiter_shows_its_table(self, client):
        shown = repr(Limiter(client, "limits", key_of))
        assert shown == "Limiter(table='limits', expires_at='expires_at')"

    def test_shards_shows_the_table_and_the_key(self, client):
        shards = Shards(lambda: client, "things", {"id": "newest"}, lambda: 1)
        assert repr(shards) == "Shards(table='things', key={'id': 'newest'})"

    def test_transactions_shows_its_pauses(self, client):
        assert repr(Transactions(client)).startswith("Transactions(backoff=Backoff(attempts=")

    def test_batches_shows_its_pool(self, client):
        assert repr(Batches(client, Pool(4))).startswith("Batches(pool=Pool(4), backoff=")

    def test_checkpoints_show_their_table(self, client):
        shown = repr(TableCheckpoints(client, "things", lambda *_: {}))
        assert shown == "TableCheckpoints(table='things', expiry_attribute=None)"

    def test_a_queue_shows_its_kinds(self, queue):
        assert repr(queue) == "<Queue mail of no kinds>"
        queue.register("welcome", print)
        assert repr(queue) == "<Queue mail of welcome>"

    def test_what_is_owed_shows_no_payload(self, queue):
        now = dynapages.calls.clock.now()
        owed = Owed(queue, "welcome", {"link": HIDDEN}, now, now)
        assert "kind='welcome'" in repr(owed)
        assert HIDDEN not in repr(owed)

    def test_a_proxy_shows_where_it_stands_and_what_was_met(self):
        proxy = FaultProxy("http://127.0.0.1:8000", rules=[Rule("throttled")])
        proxy.met["throttled", "Query"] += 3
        assert repr(proxy) == "<FaultProxy of http://127.0.0.1:8000, rules: 1, faults met: 3>"

    def test_an_engine_that_was_not_started_says_so(self):
        engine = DynoxideEngine(binary=Path("dynoxide"))
        assert repr(engine) == "<DynoxideEngine, not started>"

    def test_an_engine_shows_its_address(self):
        with embedded() as engine:
            assert repr(engine) == f"<{type(engine).__name__} at {engine.endpoint_url}, running>"
        assert repr(engine).endswith(", stopped>")
