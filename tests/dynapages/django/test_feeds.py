"""A feed in a view: its page by the request's address, and the links around it."""

import pytest
from django.template import engines
from django.test import RequestFactory

from dynapages.django.paging import PageLinks, links_of, page_of
from dynapages.django.refusals import Refusal
from tests.support.markup import read_markup

get = RequestFactory().get
LINKS = PageLinks("/?after=b", "/?before=b", "/", "/?before=end", is_first=False)


def ids(page):
    return [int(item["id"]) for item in page.items]


def walk(feed, url, link, *, size):
    """The ids of each page from an address on, by one of its links."""
    while url:
        request = get(url)
        page = page_of(request, feed, size=size)
        yield ids(page)
        url = getattr(links_of(request, page), link)


class TestThePageOfAFeed:
    def test_is_the_first_one_without_a_token(self, feed):
        assert ids(page_of(get("/"), feed, size=5)) == [21, 20, 19, 18, 17]

    def test_leads_to_the_end(self, feed):
        pages = list(walk(feed, "/", "older_url", size=5))
        assert [len(page) for page in pages] == [5, 5, 5, 5, 2]
        assert [n for page in pages for n in page] == list(range(21, -1, -1))

    def test_leads_back_from_the_end(self, feed):
        *pages, first = walk(feed, "/?before=end", "newer_url", size=5)
        assert [len(page) for page in pages] == [5, 5, 5, 5]
        assert [n for page in reversed(pages) for n in page] == list(range(19, -1, -1))
        assert first == [21, 20, 19, 18, 17]  # and not two alone

    def test_is_refused_for_a_token_of_another_list(self, feed, feed_of):
        page = page_of(get("/red/?x=1"), feed_of("red"), size=5)
        with pytest.raises(Refusal, match="belongs to another list") as refused:
            page_of(get("/all/", {"x": 1, "after": page.next}), feed, size=5)
        assert refused.value.first_url == "/all/?x=1"

    def test_is_refused_for_two_tokens(self, feed):
        with pytest.raises(Refusal):
            page_of(get("/?after=start&before=end"), feed, size=5)


class TestTheLinksOfAFeed:
    def test_keep_the_filter_of_the_address(self, feed):
        request = get("/notes/?team=red&team=blue&after=start")
        links = links_of(request, page_of(request, feed, size=5))
        assert links.first_url == "/notes/?team=red&team=blue"
        assert links.last_url == "/notes/?team=red&team=blue&before=end"
        assert links.older_url.startswith("/notes/?team=red&team=blue&after=")
        assert links.newer_url is None

    def test_end_on_the_last_page(self, feed):
        request = get("/?before=end")
        links = links_of(request, page_of(request, feed, size=5))
        assert links.older_url is links.last_url is None
        assert not links.is_first


def pager(request, page, arguments=""):
    template = engines["django"].from_string(
        "{% load dynapages %}{% pager page " + arguments + "%}"
    )
    return read_markup(template.render({"page": page}, request))


class TestThePager:
    def test_links_the_pages_around_a_feeds(self, feed):
        request = get("/notes/", {"after": page_of(get("/"), feed, size=5).next})
        found = pager(request, page_of(request, feed, size=5)).all("a")
        assert [link["rel"] for link in found] == ["first", "prev", "next", "last"]
        assert found[0]["href"] == "/notes/"
        assert "after=" in found[2]["href"]

    def test_shows_nothing_around_a_whole_list(self, feed):
        request = get("/")
        assert pager(request, page_of(request, feed, size=50)).all("a") == []

    def test_works_without_htmx(self):
        assert all(link.get("hx-get") is None for link in pager(get("/"), LINKS).all("a"))

    def test_has_htmx_swap_its_target(self):
        for link in pager(get("/"), LINKS, 'target="#list" anchor="#top" ').all("a"):
            assert link["href"] == f"{link['hx-get']}#top"
            assert link["hx-target"] == "#list"

    def test_takes_other_labels(self):
        found = pager(get("/"), LINKS, 'newer="Higher" older="Lower" has_last=False ').all("a")
        assert [link.text.split()[-1] for link in found[1:]] == ["Higher", "→"]
        assert [link["rel"] for link in found] == ["first", "prev", "next"]
