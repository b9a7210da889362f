"""Lists read by clients of botocore alone, which repeat a throttled call by themselves."""

from threading import Event
from types import SimpleNamespace

import botocore.endpoint
import botocore.session
import pytest
from botocore.config import Config

from dynapages import Feed, Index, OutOfTime, Tokens, time_budget
from dynapages.engine.fault_proxy import FaultProxy, Rule
from dynapages_testing.processes import PATIENCE

MOST_SECONDS_IN_STANDARD = 7.0
"""Of pauses, as the README says: 1, 2 and 4 at the most."""


@pytest.fixture(params=["legacy", "standard", "adaptive"])
def client(request, connection):
    """A client of botocore in each of its modes of retries; each of its queries is throttled."""
    with FaultProxy(connection.endpoint_url, rules=[Rule("throttled")]) as proxy:
        yield botocore.session.get_session().create_client(
            "dynamodb",
            connection.region,
            endpoint_url=proxy.endpoint_url,
            aws_access_key_id="tests",
            aws_secret_access_key="tests",
            config=Config(retries={"mode": request.param}),
        )


@pytest.fixture
def lamps(client):
    """Make a list of some partitions."""

    def make(*partitions: str) -> Feed:
        index = Index("dynapages-test", partition="pk", sort="sk")
        return Feed(index, partitions, client=client, tokens=Tokens("a secret of these tests"))

    return make


class TestAThrottledList:
    @pytest.mark.parametrize("partitions", [("lamp/4",), ("lamp/4", "lamp/5")])
    def test_ends_with_its_budget_while_botocore_pauses(self, lamps, monkeypatch, partitions):
        is_over = Event()
        has_paused = Event()

        def pause(_seconds: float) -> None:
            has_paused.set()
            is_over.wait(PATIENCE)
            raise InterruptedError("The test is over: its calls are not repeated any more.")

        monkeypatch.setattr(botocore.endpoint, "time", SimpleNamespace(sleep=pause))
        try:
            with time_budget(0.5), pytest.raises(OutOfTime):
                lamps(*partitions).page(10)
            assert has_paused.wait(PATIENCE)
        finally:
            is_over.set()


class TestWithoutABudget:
    @pytest.fixture
    def pauses(self, monkeypatch):
        """The seconds of the pauses, which take no time."""
        pauses: list[float] = []
        monkeypatch.setattr(botocore.endpoint, "time", SimpleNamespace(sleep=pauses.append))
        return pauses

    @pytest.mark.parametrize("client", ["legacy"], indirect=True)
    def test_a_list_waits_for_25_seconds_in_the_mode_legacy(self, client, lamps, pauses):
        with pytest.raises(client.exceptions.ClientError):
            lamps("lamp/4").page(10)
        assert round(sum(pauses), 2) == 25.55

    @pytest.mark.parametrize("client", ["standard"], indirect=True)
    def test_a_list_waits_for_7_seconds_at_most_in_the_mode_standard(self, client, lamps, pauses):
        with pytest.raises(client.exceptions.ClientError):
            lamps("lamp/4").page(10)
        assert 0 < sum(pauses) < MOST_SECONDS_IN_STANDARD
