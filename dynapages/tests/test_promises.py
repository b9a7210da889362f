"""What the README promises, compared with the usual ways to turn pages."""

import pytest

from dynapages import BadToken, Feed, Index, Tokens, metered
from dynapages.lists import DamagedToken, ForeignToken

TOKENS = Tokens("a secret of the tests alone")
PARTITIONS = ("a", "b", "c")
ITEMS = 30


@pytest.fixture
def table(client, new_table):
    """A table with items in three partitions, which take turns."""
    name = new_table()
    for n in range(ITEMS):
        key = {"pk": {"S": PARTITIONS[n % 3]}, "sk": {"S": f"{n:02}"}}
        client.put_item(TableName=name, Item=key)
    return name


@pytest.fixture
def feed(client, table):
    def feed(*partitions: str, **how: object) -> Feed:
        index = Index(table, partition="pk", sort="sk")
        how = {"newest_first": False, "tokens": TOKENS, **how}
        return Feed(index, partitions or PARTITIONS, client=client, **how)

    return feed


def keys(page) -> list[str]:
    return [item["sk"] for item in page.items]


class TestAPageBack:
    def test_is_the_page_that_one_came_from(self, feed):
        first = feed().page(4)
        second = feed().page(4, after=first.next)
        assert keys(feed().page(4, before=second.previous)) == keys(first)

    def test_leads_from_the_last_page_to_the_first(self, feed):
        pages = [feed().page(4, before="end")]
        while pages[0].has_previous:
            pages.insert(0, feed().page(4, before=pages[0].previous))
        assert [key for page in pages for key in keys(page)] == [f"{n:02}" for n in range(ITEMS)]


class TestAnyItem:
    def test_is_one_to_go_on_from(self, feed):
        page = feed().page(6)
        assert keys(feed().page(2, after=page.cursor(page.items[2]))) == ["03", "04"]
        assert keys(feed().page(2, before=page.cursor(page.items[2]))) == ["00", "01"]


class TestTheEnd:
    def test_has_no_next_page_though_it_is_full(self, feed):
        page = feed("a").page(ITEMS // 3)
        assert len(page.items) == ITEMS // 3
        assert (page.has_next, page.next) == (False, None)


class TestADeletion:
    @pytest.mark.parametrize("deleted", ["01", "03"])
    def test_of_an_item_that_was_shown_loses_no_other(self, feed, client, table, deleted):
        page = feed().page(4)
        key = {"pk": {"S": PARTITIONS[int(deleted) % 3]}, "sk": {"S": deleted}}
        client.delete_item(TableName=table, Key=key)
        assert keys(feed().page(4, after=page.next)) == ["04", "05", "06", "07"]


class TestABadToken:
    def test_that_was_altered_is_refused_before_anything_is_read(self, feed):
        token = feed().page(4).next
        altered = ("A" if token[20] != "A" else "B").join([token[:20], token[21:]])
        with metered() as cost, pytest.raises(DamagedToken):
            feed().page(4, after=altered)
        assert cost.calls == 0

    @pytest.mark.parametrize("other", [{"newest_first": True}, {"name": "another"}])
    def test_of_another_list_is_refused_before_anything_is_read(self, feed, other):
        token = feed().page(4).next
        with metered() as cost, pytest.raises(ForeignToken):
            feed(**other).page(4, after=token)
        assert cost.calls == 0

    def test_is_what_two_at_once_are(self, feed):
        with pytest.raises(BadToken):
            feed().page(4, after="start", before="end")
