"""The gate of the sample shop: advertisements wait for staff, ordinary comments do not."""

from datetime import UTC, datetime

import pytest

from comments.gates import Author, Publish, judge
from comments.items import NewComment
from comments.models import Comment
from comments.store.comments import load_comment
from comments.store.states import State
from config.environment import Environment
from demo.management.commands.demo import _environment
from demo.sample.catalogue import sample_catalogue
from demo.sample.comments import sample_comments
from tests.support.comments.options import comments_set
from tests.support.comments.writers import WORDS, Writer, made_product, new_url, someone

ADVERTISEMENT = {
    **WORDS,
    "title": "Great offer",
    "body": "Get your casino bonus at https://example.com/win and http://example.org/now.",
}
WAITING = "/staff/comments/held/"
NOW = datetime(2024, 5, 17, 12, 30, 15, 250_000, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _gate_of_the_sample(monkeypatch):
    monkeypatch.delenv("COMMENT_GATE", raising=False)
    monkeypatch.delenv("COMMENT_HELD_WORDS", raising=False)
    for name, value in _environment(8000, own_engine=True).items():
        if name in {"COMMENT_GATE", "COMMENT_HELD_WORDS"}:
            monkeypatch.setenv(name, value)
    variables = Environment()
    gate = variables.words("COMMENT_GATE")
    held_words = variables.words("COMMENT_HELD_WORDS")
    with comments_set(GATE=gate, HELD_WORDS=held_words):
        yield


@pytest.fixture
def newcomer() -> Writer:
    """Somebody whose address is not confirmed, and who has written nothing."""
    return someone("newcomer")


def posted(writer: Writer, product_id: str, words: dict[str, str]) -> tuple[NewComment, str]:
    """Post a comment by the form; return it, and the text of the page behind the form."""
    form = {**writer.open_form(product_id), **words}
    answer = writer.send(new_url(product_id), form)
    assert answer.status_code == 302
    address = answer["Location"]
    comment_id = address.partition("#comment-")[2] or address.strip("/").rpartition("/")[2]
    return load_comment(comment_id).comment, writer.get(address).page.text


@pytest.mark.usefixtures("few_items")
class TestAnAdvertisement:
    def test_of_a_newcomer_waits_and_tells_them(self, newcomer):
        comment, page = posted(newcomer, made_product(), ADVERTISEMENT)
        assert load_comment(comment.id).state is State.HELD
        assert "published once the shop has looked at it" in page

    @pytest.mark.parametrize(
        "body", ["A casino bonus for all!", "See https://example.com/win for more."]
    )
    def test_waits_for_its_words_or_its_link(self, newcomer, body):
        comment, _page = posted(newcomer, made_product(), {**ADVERTISEMENT, "body": body})
        assert load_comment(comment.id).state is State.HELD

    def test_is_published_by_staff(self, newcomer, sam):
        comment, _page = posted(newcomer, made_product(), ADVERTISEMENT)
        shown = sam.get(WAITING)
        assert "casino bonus" in shown.page.text
        stored = load_comment(comment.id)
        assert Comment.hold_reason.attr_name in stored.item
        seen = f"{stored.state}.{stored.version}.0"
        sam.send(f"/staff/comments/decide/{comment.id}/", {"decision": "publish", "seen": seen})
        assert load_comment(comment.id).state is State.LISTED


@pytest.mark.usefixtures("few_items")
class TestAnOrdinaryComment:
    def test_is_published_at_once(self, newcomer):
        comment, page = posted(newcomer, made_product(), WORDS)
        assert load_comment(comment.id).state is State.LISTED
        assert "Your comment is posted" in page

    def test_of_the_sample_data_would_be_published(self):
        held = []
        for comment in sample_comments(sample_catalogue(), now=NOW):
            if judge(comment, Author(comment.user_id)) != Publish():
                held.append(comment.body)
        assert held == []
