"""What caches may keep: the pages of visitors who are nobody yet, and only those."""

import re

import pytest
from django.http import HttpResponse
from django.test import Client

from comments.posting.services import add_comment
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments, written
from tests.support.orders.making import put_product

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]
PUBLIC = "public, max-age=0, s-maxage=30"
PRIVATE = "private, no-store"


@pytest.fixture
def lamp(fresh):
    product_id = put_product(fresh("lamp"))
    load(numbered_comments(product_id, count=3))
    return product_id


def pages(product_id: str) -> tuple[str, ...]:
    product = f"/products/{product_id}/"
    return ("/", product, f"{product}comments/~/~/", "/rankings/most-loved/", "/categories/")


def shown(response: HttpResponse) -> bytes:
    """A page but for how it was read, which is another way at the second time."""
    return re.sub(rb'<a class="explanation .*?</a>', b"", response.content, flags=re.DOTALL)


def directives(response: HttpResponse) -> set[str]:
    return set(response["Cache-Control"].split(", "))


class TestAVisitorsPage:
    def test_has_no_byte_of_its_own(self, lamp):
        for url in pages(lamp):
            assert shown(Client().get(url)) == shown(Client().get(url)), url


class TestThePageOfSomebody:
    def test_with_a_basket_is_kept_by_none(self, lamp):
        visitor = Client()
        visitor.post("/basket/add/", {"product_id": lamp, "quantity": "1"})
        response = visitor.get(f"/products/{lamp}/")
        assert directives(response) == set(PRIVATE.split(", "))
        assert "ETag" not in response


class TestAnETag:
    def again(self, url: str, etag: str, **headers: str) -> HttpResponse:
        return Client().get(url, headers={"If-None-Match": etag, **headers})

    def test_spares_the_page_as_long_as_nothing_changes(self, lamp):
        url = f"/products/{lamp}/comments/~/~/"
        first = Client().get(url)
        again = self.again(url, first["ETag"])
        assert (again.status_code, again.content) == (304, b"")
        assert directives(again) == set(PUBLIC.split(", "))

    def test_fits_no_more_when_there_is_another_comment(self, lamp):
        url = f"/products/{lamp}/comments/~/~/"
        first = Client().get(url)
        add_comment(written(lamp, id=f"{lamp}-later"))
        assert self.again(url, first["ETag"]).status_code == 200

    def test_of_a_page_does_not_fit_its_fragment(self, lamp):
        url = f"/products/{lamp}/comments/~/~/"
        first = Client().get(url)
        assert self.again(url, first["ETag"], **{"HX-Request": "true"}).status_code == 200


class TestTheTokenOfAForm:
    def test_is_fetched_when_it_is_needed(self, lamp):
        visitor = Client(enforce_csrf_checks=True)
        response = visitor.get("/form-token/")
        assert {"no-store", "private"} <= directives(response)
        fields = {"product_id": lamp, "quantity": "2"}
        assert visitor.post("/basket/add/", fields).status_code == 403
        fields["csrfmiddlewaretoken"] = response.content.decode()
        assert visitor.post("/basket/add/", fields).status_code == 302
