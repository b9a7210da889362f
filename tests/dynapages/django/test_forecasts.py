"""How long an import takes, said as soon as that can be told."""

import pytest

from dynapages.django.forecasts import Forecast
from dynapages.django.options import Progress


class Said(Progress):
    """Remembers what is said."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


class Time:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def said():
    return Said()


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def forecast(said, time):
    return Forecast(said, "Writing {total} takes about {time}.", clock=time)


class TestAForecast:
    def test_is_said_once_when_a_second_is_over(self, forecast, said, time):
        forecast.note(100, 100_000)
        assert said.lines == []
        time.now = 2
        forecast.note(1_000, 100_000)
        time.now = 4
        forecast.note(2_000, 100_000)
        assert said.lines == ["Writing 100,000 rows takes about 3 minutes."]

    def test_is_not_said_of_what_is_soon_over(self, forecast, said, time):
        time.now = 1.5
        forecast.note(500, 1_000)
        assert said.lines == []

    @pytest.mark.parametrize(
        ("done", "words"), [(500, "40 seconds"), (100, "3 minutes"), (2, "3 hours")]
    )
    def test_names_a_unit_of_which_there_are_few(self, forecast, said, time, done, words):
        time.now = 2
        forecast.note(done, 10_000, noun="orders")
        assert said.lines == [f"Writing 10,000 orders takes about {words}."]

    def test_counts_the_rows_of_a_file_by_its_bytes(self, forecast, said, time):
        read = 0

        def bytes_read() -> int:
            return read

        for _ in forecast.of_file(range(1_000), bytes_read, 3_456_000):
            time.now += 0.01
            read += 100
        assert said.lines == ["Writing about 35,000 rows takes about 6 minutes."]
