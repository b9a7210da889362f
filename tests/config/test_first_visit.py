"""What a first visit loads: the page and all that it names, as they are sent."""

import pytest
from django.test import Client

from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments
from tests.support.comments.writers import made_product
from tests.support.markup import read_markup

pytestmark = pytest.mark.usefixtures("tables")
MOST_BYTES = 45_000


def sent(path: str) -> bytes:
    """The body of an answer as it goes over the wire."""
    response = Client().get(path, headers={"Accept-Encoding": "gzip"})
    assert response.status_code == 200, path
    return b"".join(response) if response.streaming else response.content


def named_by(path: str) -> list[str]:
    """The style sheets, scripts, icons and pictures of a page."""
    page = read_markup(Client().get(path).content.decode())
    links = [one["href"] for one in page.all("link") if one["rel"] in {"stylesheet", "icon"}]
    return [*links, *(one["src"] for one in [*page.all("script", src=True), *page.all("img")])]


@pytest.fixture(scope="module")
def product_id(tables: None) -> str:
    made = made_product()
    load(numbered_comments(made, count=40))
    return made


@pytest.mark.parametrize("path", ["/", "/products/{}/", "/products/{}/comments/~/~/"])
def test_a_first_visit_is_light(path, product_id):
    page = path.format(product_id)
    paths = [page, *named_by(page)]
    assert len(paths) > 10
    assert sum(len(sent(one)) for one in paths) <= MOST_BYTES
