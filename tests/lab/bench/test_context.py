"""The delay of calls, which stands for a network."""

from dynapages.process import client
from lab.bench import context
from lab.bench.context import delayed


class TestADelay:
    def test_is_added_to_each_call_of_its_block_and_to_no_other(self, monkeypatch):
        slept: list[float] = []
        monkeypatch.setattr(context, "sleep", slept.append)
        with delayed(0.1):
            for _ in range(3):
                assert "TableNames" in client().list_tables()
        client().list_tables()
        assert slept == [0.1, 0.1, 0.1]
