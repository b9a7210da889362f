"""Reads have an ETag: who has the answer already is answered 304, for as long as it is right."""

from dataclasses import dataclass

import pytest

from comments.posting.services import add_comment
from dynapages.django.callers import Scope
from tests.support.comments.truth import written
from tests.support.comments.writers import made_product, someone
from tests.support.config.addresses import belongings
from tests.support.config.api import NOBODY, ROOT, Program, operations, problem_of, program_of
from tests.support.config.lists import listed_shop

pytestmark = pytest.mark.usefixtures("tables", "wide_limits")
READS = [name.removeprefix("GET ") for name in operations() if name.startswith("GET ")]
ELSE = '"0123456789abcdef0123456789abcdef"'
"""The ETag of another answer."""


@dataclass(frozen=True)
class Shop:
    """Somebody of the staff, who has written and ordered everything, and what stands where."""

    staff: Program
    arguments: dict[str, str]

    def url(self, path: str) -> str:
        """The address of a read; each finds something."""
        url = path.format_map(self.arguments)
        return f"{url}?q=gro" if path == "/search" else url


@pytest.fixture(scope="module")
def shop(tables):
    arguments = listed_shop().arguments
    sam = program_of(arguments["username"], Scope.STAFF)
    owned = belongings(someone("owner"))
    return Shop(sam, {"comment_id": owned.comment_id, "order_id": owned.order_id, **arguments})


@pytest.fixture
def anna():
    return program_of(someone("anna").username)


@pytest.fixture
def lamp():
    """The one comment of a product."""
    comment = written(made_product(), rating=5)
    add_comment(comment)
    return comment


class TestARead:
    @pytest.mark.parametrize("path", READS)
    def test_is_answered_304_to_who_has_the_answer(self, shop, path):
        url = shop.url(path)
        first = shop.staff.get(url)
        etag = first.headers["ETag"]
        strong = etag.removeprefix("W/")
        for known in (etag, strong, f"W/{strong}", f"{ELSE}, {etag}", f"{strong},{ELSE}", "*"):
            again = shop.staff.get(url, If_None_Match=known)
            assert (again.status_code, again.content) == (304, b""), known
            assert again.headers["ETag"].removeprefix("W/") == strong
            assert "Content-Type" not in again.headers

    @pytest.mark.parametrize("path", READS)
    def test_is_answered_whole_to_who_has_another_one(self, shop, path):
        url = shop.url(path)
        whole = shop.staff.get(url)
        for known in (ELSE, f"W/{ELSE}", f"{ELSE}, {ELSE}", '"x"', "no tag"):
            again = shop.staff.get(url, If_None_Match=known)
            assert (again.status_code, again.headers["ETag"]) == (200, whole.headers["ETag"])

    @pytest.mark.parametrize("path", READS)
    def test_has_the_same_headers_where_it_is_answered_304(self, shop, path):
        url = shop.url(path)
        first = shop.staff.get(url)
        again = shop.staff.get(url, If_None_Match=first.headers["ETag"])
        for name in ("Cache-Control", "RateLimit-Policy"):
            assert again.headers[name] == first.headers[name]
        # What is empty is not compressed, so that this says nothing of it.
        varies = {*first.headers["Vary"].split(", ")} - {"Accept-Encoding"}
        assert varies == {*again.headers["Vary"].split(", ")}
        assert "RateLimit" in again.headers
        assert "no-store" in again.headers["Cache-Control"]

    @pytest.mark.parametrize("path", READS)
    def test_has_them_by_head_as_well(self, shop, path):
        url = shop.url(path)
        etag = shop.staff.get(url).headers["ETag"]
        assert shop.staff.send("HEAD", url).headers["ETag"] == etag
        assert shop.staff.send("HEAD", url, If_None_Match=etag).status_code == 304

    @pytest.mark.parametrize("path", READS)
    def test_may_be_compressed_on_its_way(self, shop, path):
        url = shop.url(path)
        packed = shop.staff.get(url, Accept_Encoding="gzip")
        etag = packed.headers["ETag"]
        assert shop.staff.get(url).headers["ETag"].removeprefix("W/") == etag.removeprefix("W/")
        if packed.headers.get("Content-Encoding") == "gzip":
            assert etag.startswith("W/")
        again = shop.staff.get(url, Accept_Encoding="gzip", If_None_Match=etag)
        assert again.status_code == 304

    def test_without_a_key_may_be_kept_by_caches_that_ask_again(self, shop):
        url = shop.url("/products/{product_id}/comments")
        first = NOBODY.get(url)
        again = NOBODY.get(url, If_None_Match=first.headers["ETag"])
        assert again.status_code == 304
        for answer in (first, again):
            assert "public" in answer.headers["Cache-Control"]
            assert "max-age=0" in answer.headers["Cache-Control"]
            assert "Authorization" in answer.headers["Vary"]

    def test_that_finds_nothing_has_none(self):
        answer = NOBODY.get("/comments/none", If_None_Match="*")
        assert problem_of(answer)[0] == 404
        assert "ETag" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"

    def test_that_costs_otherwise_has_the_same_one(self, lamp):
        """The first one in a process may read what later ones know."""
        url = f"/products/{lamp.product_id}/comments"
        first, second = NOBODY.get(url), NOBODY.get(url)
        assert first.headers["ETag"] == second.headers["ETag"]
        assert first.headers["ETag"].startswith("W/")


class TestAChange:
    """After it, nobody who has an answer from before is told that it is still right."""

    def is_seen(self, program: Program, *urls: str, by) -> bool:
        known = {url: program.get(url).headers["ETag"] for url in urls}
        by()
        answers = [program.get(url, If_None_Match=etag) for url, etag in known.items()]
        return [each.status_code for each in answers] == [200] * len(urls)

    def test_of_a_new_comment_is_seen_in_the_list(self, lamp, anna):
        url = f"/products/{lamp.product_id}/comments"
        assert self.is_seen(NOBODY, url, by=lambda: anna.post(url, {"rating": 3}))

    def test_of_an_edit_is_seen_in_the_list_and_alone(self, lamp, anna):
        url = f"/products/{lamp.product_id}/comments"
        own = f"/comments/{anna.post(url, {'rating': 3}).json()['id']}"
        edit = {"rating": 3, "text": "On second thoughts.", "version": 1}
        assert self.is_seen(NOBODY, url, own, by=lambda: anna.put(own, edit))

    def test_of_a_vote_is_seen_by_who_has_voted(self, lamp, anna):
        url, own = f"/products/{lamp.product_id}/comments", f"/comments/{lamp.id}"
        assert self.is_seen(anna, url, own, by=lambda: anna.put(f"/votes/{lamp.id}"))
        assert self.is_seen(anna, url, own, by=lambda: anna.delete(f"/votes/{lamp.id}"))

    def test_of_a_reply_is_seen_in_the_list_and_alone(self, lamp, shop):
        url, own = f"/products/{lamp.product_id}/comments", f"/comments/{lamp.id}"
        reply = f"/replies/{lamp.id}"
        assert self.is_seen(NOBODY, url, own, by=lambda: shop.staff.put(reply, {"text": "Thanks."}))

    def test_of_an_order_is_seen_by_its_customer(self, shop):
        order, orders = shop.url("/orders/{order_id}"), "/staff/orders"
        move = {"source": "PLACED", "target": "CANCELED"}
        assert self.is_seen(
            shop.staff, order, orders, by=lambda: shop.staff.post(f"{order}/moves", move)
        )

    def test_of_a_product_is_seen_by_all(self, shop):
        url = shop.url("/products/{product_id}")
        name = {"name": "Another name", "version": shop.staff.get(url).json()["version"]}
        assert self.is_seen(shop.staff, url, by=lambda: shop.staff.put(url, name))


class TestAnotherKey:
    def test_is_never_told_that_it_has_what_only_this_one_has(self, lamp, anna):
        url, own = f"/products/{lamp.product_id}/comments", f"/comments/{lamp.id}"
        anna.put(f"/votes/{lamp.id}")
        other = program_of(someone("other").username)
        for path in (url, own):
            etag = anna.get(path).headers["ETag"]
            for program in (NOBODY, other):
                answer = program.get(path, If_None_Match=etag)
                assert answer.status_code == 200
                assert answer.headers["ETag"] != etag


class TestNoContent:
    def test_has_no_type_and_no_length(self, lamp, anna):
        answer = anna.put(f"/reports/{lamp.id}", {"reason": "spam"})
        assert (answer.status_code, answer.content) == (204, b"")
        assert "Content-Type" not in answer.headers
        assert answer.headers.get("Content-Length", "0") == "0"
        assert "ETag" not in answer.headers

    def test_has_none_where_it_is_stored_and_answered_again(self, lamp, anna):
        sent = [anna.put(f"/reports/{lamp.id}", {"reason": "spam"}, once="1") for _ in range(2)]
        assert [each.status_code for each in sent] == [204, 204]
        assert sent[1].headers["Idempotent-Replayed"] == "true"
        assert "Content-Type" not in sent[1].headers


class TestAnAnswerThatIsSentAgain:
    def test_has_its_etag_too(self, lamp, anna):
        url = f"/products/{lamp.product_id}/comments"
        first, again = (anna.post(url, {"rating": 3}, once="1") for _ in range(2))
        assert again.headers["ETag"] == first.headers["ETag"]
        read = anna.get(f"/comments/{first.json()['id']}")
        assert read.headers["ETag"] == first.headers["ETag"]


def test_the_addresses_are_all_reads_of_the_document():
    assert len(READS) >= 15
    assert not any(path.startswith(ROOT) for path in READS)
