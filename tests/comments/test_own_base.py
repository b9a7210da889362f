"""The pages of comments in a project's own base, which has the blocks title and content alone."""

import re

import pytest
from django.contrib.staticfiles import finders

from comments.reports.services import Reason, report_comment
from dynapages.calls import clock
from tests.support.comments.browsing import HTMX
from tests.support.comments.own_base import own_base
from tests.support.comments.writers import made_product, someone
from tests.support.markup import read_markup

pytestmark = pytest.mark.usefixtures("tables", "base")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    with own_base(tmp_path_factory.mktemp("templates")):
        yield


@pytest.fixture(scope="module")
def people(tables):
    return {
        "alice": someone("alice"),
        "bob": someone("bob"),
        "sam": someone("sam", is_staff=True),
    }


@pytest.fixture(scope="module")
def names(people):
    product = made_product()
    written = people["alice"].has_written(product).comment
    report_comment(
        comment_id=written.id, user_id="bob", reason=Reason.ABUSE, text="", now=clock.now()
    )
    return {"product": product, "comment": written.id, "alice": people["alice"].username}


class TestAPage:
    @pytest.mark.parametrize(
        ("reader", "address", "heading"),
        [
            ("bob", "/products/{product}/", "{product}"),
            ("bob", "/products/{product}/comments/~/5/", "{product}"),
            ("bob", "/products/{product}/comments/~/~/?order=helpful", "{product}"),
            ("bob", "/products/{product}/comments/new/", "Your comment on {product}"),
            ("bob", "/rankings/most-loved/", "Most loved"),
            ("bob", "/users/{alice}/", "Comments by {alice}"),
            ("bob", "/comments/{comment}/", "Lovely"),
            ("bob", "/comments/report/{comment}/", "Report a comment"),
            ("alice", "/comments/edit/{comment}/", "Your comment"),
            ("alice", "/comments/delete/{comment}/", "Delete this comment?"),
            ("sam", "/staff/comments/reply/{comment}/", "Reply to a comment"),
            ("sam", "/staff/comments/", "Reported comments"),
        ],
    )
    def test_stands_in_the_base(self, people, names, reader, address, heading):
        answer = people[reader].browser.get(address.format_map(names))
        page = read_markup(answer.content.decode())
        assert page.one("main").one("h1").text.strip() == heading.format_map(names)
        assert page.one("head").one("title").text.endswith(" | Mine")
        assert page.one(id="notice")["role"] == page.one(id="announcement")["role"] == "status"

    def test_links_files_that_are_there(self, people, names):
        page = people["bob"].browser.get(f"/products/{names['product']}/").content.decode()
        linked = set(re.findall(r'(?:src|href)="/static/([^"]+)"', page))
        assert [name for name in linked if finders.find(name) is None] == []
        assert "comments/comments.css" in linked

    def test_tells_what_was_done(self, people, names):
        pick = f"/staff/comments/feature/{names['comment']}/"
        page = people["sam"].browser.post(pick, follow=True).content.decode()
        assert page.count('class="message success"') == 1

    def test_of_a_refusal_to_htmx_is_a_notice(self, people, names):
        url = f"/products/{names['product']}/comments/~/~/?after=forged"
        answer = people["bob"].browser.get(url, headers=HTMX)
        assert (answer.status_code, answer.content.count(b"data-dismiss")) == (400, 1)
