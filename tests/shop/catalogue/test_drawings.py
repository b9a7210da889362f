"""Drawings of products: what decides how they look, and how they are served."""

import re
from collections import defaultdict
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from demo.sample.catalogue import sample_catalogue
from dynapages.calls import metered
from shop.catalogue.drawings import drawing_url, shapes, svg_of
from shop.catalogue.tiles import Category, ProductTile
from tests.support.comments.writers import someone

NO_SHAPE = [f"{number:032x}" for number in range(40)]
"""Ids that name nothing, such as those of an import."""
MOST_BYTES = 1_000
LEAST_APART = 60
"""Of two colours: the sum of how far red, green and blue are apart, each from 0 to 255."""


def bodies_of(family: str) -> list[str]:
    known = shapes()
    return [known.bodies[name] for name in known.families[family]]


def body_in(svg: str) -> str:
    (body,) = [body for body in shapes().bodies.values() if body in svg]
    return body


def colour_in(svg: str) -> list[int]:
    """The colour of the product on a light page: red, green and blue."""
    spelled = re.search(r"\.(?:a\{fill|A\{stroke):#(\w{6})", svg)[1]
    return [*bytes.fromhex(spelled)]


def look_alike(one: str, other: str) -> bool:
    apart = sum(abs(a - b) for a, b in zip(colour_in(one), colour_in(other), strict=True))
    return body_in(one) == body_in(other) and apart < LEAST_APART


class TestADrawing:
    @pytest.mark.parametrize("name", shapes().bodies)
    def test_is_small_and_well_formed(self, name):
        svg = svg_of(name)
        assert shapes().bodies[name] in svg
        assert len(svg.encode()) < MOST_BYTES
        assert ET.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own

    @given(st.text(), st.text())
    def test_is_there_for_any_id_and_repeats_nothing_of_it(self, product_id, category):
        svg = svg_of(f"<script>{product_id}", f"<b>{category}")
        assert "<script>" not in svg
        assert "<b>" not in svg
        assert ET.fromstring(svg) is not None  # noqa: S314 - our own

    def test_is_of_the_thing_that_the_last_words_of_the_id_name(self):
        known = shapes().bodies
        assert body_in(svg_of("oak-desk-lamp")) == known["desk-lamp"]
        assert body_in(svg_of("the-one-pot-cookbook")) == known["cookbook"]
        assert body_in(svg_of("oak-desk-lamp", "books")) == known["desk-lamp"]

    def test_is_of_the_categorys_family_where_the_id_names_nothing(self):
        drawn = {body_in(svg_of(one, "garden-tools")) for one in NO_SHAPE}
        assert drawn == {*bodies_of("garden")}

    def test_is_of_anything_where_neither_names_something(self):
        drawn = {body_in(svg_of(one, "zzz")) for one in NO_SHAPE}
        assert drawn == {*bodies_of("anything")}

    def test_has_the_colour_of_the_material(self):
        red, _green, blue = colour_in(svg_of("copper-kettle"))
        assert red > blue + 80
        grey = colour_in(svg_of("brushed-steel-kettle"))
        assert max(grey) - min(grey) < 40

    def test_is_in_as_many_colours_as_there_are(self):
        assert len({str(colour_in(svg_of(f"{one}-kettle"))) for one in NO_SHAPE}) > 20


def test_no_two_on_a_shelf_of_the_sample_shop_look_alike():
    shelves = defaultdict(list)
    for product in sample_catalogue().products:
        for slug in product.category_slugs:
            shelves[slug].append(svg_of(product.id, slug))
    assert len(shelves) > 10
    for slug, drawn in shelves.items():
        assert not [slug for pair in combinations(drawn, 2) if look_alike(*pair)]


class TestTheAddress:
    def test_names_the_nearest_category_that_has_a_family(self):
        slugs = ("cookware-for-two", "kitchen", "games")
        assert drawing_url("x-1", slugs) == "/products/x-1/drawing.svg?category=cookware-for-two"
        assert drawing_url("x-1", ("zzz", "games")) == "/products/x-1/drawing.svg?category=games"

    def test_names_none_where_the_id_is_enough_or_none_would_do(self):
        assert drawing_url("oak-desk-lamp", ("kitchen",)) == "/products/oak-desk-lamp/drawing.svg"
        assert drawing_url("x-1", ("zzz",)) == drawing_url("x-1") == "/products/x-1/drawing.svg"

    def test_of_a_tile_goes_by_its_categories_from_the_nearest_on(self):
        trail = (Category("garden", "Garden"), Category("lamps", "Lamps"))
        assert ProductTile("x-1", "X", trail=trail).image.endswith("?category=lamps")

    def test_shows_the_drawing_of_a_category_that_is_in_it(self):
        answer = Client().get(drawing_url("x-1", ("books",)))
        assert body_in(answer.content.decode()) in bodies_of("books")


@pytest.mark.usefixtures("tables")
class TestAnAnswer:
    URL = "/products/no-such-thing/drawing.svg"

    def test_is_an_svg_that_may_do_nothing(self):
        answer = Client().get(self.URL)
        assert answer["Content-Type"] == "image/svg+xml"
        assert answer["X-Content-Type-Options"] == "nosniff"
        policy = answer["Content-Security-Policy"]
        assert policy == "default-src 'none'; style-src 'unsafe-inline'; sandbox"

    def test_is_kept_and_asked_for_by_its_tag(self):
        answer = Client().get(self.URL)
        assert "immutable" in answer["Cache-Control"]
        again = Client().get(self.URL, headers={"If-None-Match": answer["ETag"]})
        assert (again.status_code, again.content) == (304, b"")

    def test_reads_nothing_and_is_kept_also_for_somebody_with_a_session(self):
        browser = someone("drawn").browser
        with metered() as meter:
            answer = browser.get(self.URL)
        assert meter.calls == 0
        assert {"public", "immutable"} <= {*answer["Cache-Control"].split(", ")}
