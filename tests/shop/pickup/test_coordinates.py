"""Places and distances on the sphere."""

from math import inf, nan

import pytest

from shop.pickup.coordinates import HALFWAY_ROUND, BadCoordinates, Coordinates, distance

LISBON, PORTO = Coordinates.at(38.7139, -9.1394), Coordinates.at(41.1496, -8.6110)


class TestCoordinates:
    @pytest.mark.parametrize(
        ("latitude", "longitude"),
        [(90.1, 0), (-91, 0), (0, 180.5), (0, -181), (nan, 0), (0, nan), (inf, 0), (0, -inf)],
    )
    def test_are_on_earth(self, latitude, longitude):
        with pytest.raises(BadCoordinates):
            Coordinates.at(latitude, longitude)

    def test_have_one_spelling_on_the_antimeridian(self):
        assert Coordinates.at(1, 180) == Coordinates.at(1, -180)
        assert Coordinates.at(1, 179.99999999) == Coordinates.at(1, -180)

    def test_have_one_spelling_of_nothing(self):
        assert str(Coordinates.at(-0.0, -0.0000001)) == "0, 0"

    def test_are_exact_to_eleven_centimetres(self):
        assert Coordinates.at(38.71394949, 0).latitude == 38.713949


class TestDistance:
    def test_is_that_of_the_map(self):
        assert distance(LISBON, PORTO) == pytest.approx(274_500, rel=0.01)

    def test_is_the_same_both_ways(self):
        assert distance(LISBON, PORTO) == distance(PORTO, LISBON)

    def test_crosses_the_antimeridian(self):
        there = distance(Coordinates.at(0, 179.9), Coordinates.at(0, -179.9))
        assert there == pytest.approx(distance(Coordinates.at(0, 0), Coordinates.at(0, 0.2)))

    def test_is_nothing_at_a_pole_whatever_the_longitude(self):
        assert distance(Coordinates.at(90, 10), Coordinates.at(90, -120)) == pytest.approx(
            0, abs=1e-6
        )

    def test_is_halfway_round_to_the_antipode(self):
        antipode = Coordinates.at(-LISBON.latitude, LISBON.longitude + 180)
        assert distance(LISBON, antipode) == pytest.approx(HALFWAY_ROUND)
