"""Places, distances and geohash cells on the sphere."""

from math import inf, nan

import pygeohash
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shop.pickup.cells import (
    ALPHABET,
    CAP_LATITUDE,
    HALFWAY_ROUND,
    PRECISION,
    BadCoordinates,
    Coordinates,
    distance,
    geohash_of,
    greatest_distance,
    least_distance,
)

PLACES = st.builds(
    Coordinates.at,
    st.floats(-90, 90) | st.sampled_from([-90.0, -89.999999, 0.0, 45.0, 89.999999, 90.0]),
    st.floats(-180, 180) | st.sampled_from([-180.0, -179.999999, 0.0, 90.0, 179.999999]),
)
CELLS = st.text(ALPHABET, min_size=1, max_size=PRECISION)
EDGES = [Coordinates.at(90, -180), Coordinates.at(-90, 179.999999), Coordinates.at(0, 180)]


def place_in(cell: str, *, north: float, east: float) -> Coordinates:
    """A place of a cell, from its south-western corner (0, 0) to the other one (1, 1)."""
    box = pygeohash.get_bounding_box(cell)
    return Coordinates(
        box.min_lat + north * (box.max_lat - box.min_lat),
        box.min_lon + east * (box.max_lon - box.min_lon),
    )


class TestAGeohash:
    def test_is_that_of_the_textbook(self):
        assert geohash_of(Coordinates.at(57.64911, 10.40744)) == "u4pruydqqv"

    @given(place=PLACES.filter(lambda place: abs(place.latitude) <= CAP_LATITUDE))
    def test_names_cells_that_the_place_is_in(self, place):
        geohash = geohash_of(place)
        for length in range(1, PRECISION + 1):
            box = pygeohash.get_bounding_box(geohash[:length])
            assert box.min_lat - 1e-9 <= place.latitude <= box.max_lat + 1e-9
            assert box.min_lon - 1e-9 <= place.longitude <= box.max_lon + 1e-9

    @pytest.mark.parametrize(
        ("latitude", "begins"),
        [(CAP_LATITUDE, "u"), (73.2, "N"), (90, "N"), (-73.2, "S"), (-90, "S")],
    )
    def test_near_a_pole_is_that_of_a_turned_sphere(self, latitude, begins):
        geohash = geohash_of(Coordinates.at(latitude, 10))
        assert geohash.startswith(begins)
        assert len(geohash) == PRECISION + (begins in "NS")

    def test_at_a_pole_is_in_one_cell_whatever_the_longitude(self):
        at_the_pole = {geohash_of(Coordinates.at(90, east)) for east in range(-180, 180, 30)}
        assert at_the_pole == {"Ns000000000"}


class TestTheBounds:
    @given(origin=PLACES, cell=CELLS, north=st.floats(0, 1), east=st.floats(0, 1))
    def test_hold_for_every_place_of_a_cell(self, origin, cell, north, east):
        metres = distance(origin, place_in(cell, north=north, east=east))
        assert least_distance(origin, cell) <= metres <= greatest_distance(origin, cell)

    @given(origin=PLACES, place=PLACES, length=st.integers(1, PRECISION))
    def test_hold_for_the_cells_of_every_place(self, origin, place, length):
        cell = geohash_of(place)[: length + (abs(place.latitude) > CAP_LATITUDE)]
        assert (
            least_distance(origin, cell)
            <= distance(origin, place)
            <= greatest_distance(origin, cell)
        )

    @given(place=PLACES, length=st.integers(2, PRECISION))
    def test_begin_at_nothing_within_the_cell(self, place, length):
        assert least_distance(place, geohash_of(place)[:length]) == 0

    @given(origin=PLACES, cell=st.text(ALPHABET, min_size=3, max_size=6))
    def test_are_tight(self, origin, cell):
        """Some place on the edge of the cell is hardly farther than the lower bound."""
        steps = [step / 200 for step in range(201)]
        edge = [place_in(cell, north=step, east=east) for step in steps for east in (0, 1)]
        edge += [place_in(cell, north=north, east=step) for step in steps for north in (0, 1)]
        box = pygeohash.get_bounding_box(cell)
        if box.min_lat < origin.latitude < box.max_lat:
            inside = box.min_lon <= origin.longitude <= box.max_lon
            edge += [origin] if inside else []
        least = min(distance(origin, place) for place in edge)
        height = (box.max_lat - box.min_lat) * 111_195
        assert least - least_distance(origin, cell) <= height / 100 + 2

    @pytest.mark.parametrize("origin", EDGES)
    def test_never_go_farther_than_halfway_round(self, origin):
        for cell in ALPHABET:
            assert (
                0
                <= least_distance(origin, cell)
                < greatest_distance(origin, cell)
                <= HALFWAY_ROUND + 1
            )


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

    def test_crosses_the_antimeridian(self):
        there = distance(Coordinates.at(0, 179.9), Coordinates.at(0, -179.9))
        assert there == pytest.approx(distance(Coordinates.at(0, 0), Coordinates.at(0, 0.2)))
