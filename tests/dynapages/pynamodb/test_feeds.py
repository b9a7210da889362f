"""Feeds of PynamoDB's models: instances, page by page, in both directions."""

import pytest
from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model

from dynapages import BadToken, Tokens, metered
from dynapages.calls import build_client
from dynapages.process import client, current_connection
from dynapages.pynamodb import DynamoModel, feed_of, index_of
from dynapages.tables import create_missing
from dynapages_testing.chance import unique

pytestmark = pytest.mark.real_engine
TOKENS = Tokens("a secret of the tests")
TABLE = unique("dynapages-letters")


class ByRating(GlobalSecondaryIndex["Letter"]):
    class Meta:
        index_name = "by_rating"
        projection = AllProjection()

    rating = UnicodeAttribute(attr_name="r", hash_key=True)
    sent_at = NumberAttribute(attr_name="s", range_key=True)


class Letter(DynamoModel):
    class Meta:
        table_name = TABLE
        region = "us-east-1"

    thread = UnicodeAttribute(attr_name="pk", hash_key=True)
    number = NumberAttribute(attr_name="sk", range_key=True)
    rating = UnicodeAttribute(attr_name="r")
    sent_at = NumberAttribute(attr_name="s")
    text = UnicodeAttribute(attr_name="t")
    by_rating = ByRating()


@pytest.fixture(scope="module", autouse=True)
def letters():
    """40 letters of 2 threads and 2 ratings, four at a time sent at the same second."""
    create_missing([Letter], client=client())
    for n in range(40):
        letter = Letter(
            f"thread-{n % 2}", n, rating="ab"[n % 4 // 2], sent_at=n // 4, text=f"No. {n}"
        )
        letter.save()
    yield
    client().delete_table(TableName=TABLE)


def newest_first(*, of: str) -> list[int]:
    """Return when the letters of these ratings were sent, latest first."""
    return sorted((n // 4 for n in range(40) if "ab"[n % 4 // 2] in of), reverse=True)


class TestAFeedOfAnIndex:
    def test_has_instances_of_the_model(self):
        page = feed_of(Letter.by_rating, ["a", "b"], tokens=TOKENS).page(5)
        assert [type(one) for one in page.items] == [Letter] * 5
        assert page.items[0].text.startswith("No. ")

    def test_lists_every_item_once_though_many_have_the_same_sort_key(self):
        found = [*feed_of(Letter.by_rating, ["a", "b"])]
        assert [one.sent_at for one in found] == newest_first(of="ab")
        assert len({one.number for one in found}) == 40

    def test_comes_back_to_the_page_before(self):
        feed = feed_of(Letter.by_rating, ["a", "b"], tokens=TOKENS)
        first = feed.page(7)
        second = feed.page(7, after=first.next)
        back = feed.page(7, before=second.previous)
        assert [one.number for one in back.items] == [one.number for one in first.items]

    def test_refuses_the_string_of_another_feed(self):
        string = feed_of(Letter.by_rating, ["a"], tokens=TOKENS).page(5).next
        with pytest.raises(BadToken):
            feed_of(Letter.by_rating, ["b"], tokens=TOKENS).page(5, after=string)

    def test_takes_the_further_arguments_of_a_feed(self):
        found = [*feed_of(Letter.by_rating, ["a"], newest_first=False)]
        assert [one.sent_at for one in found] == newest_first(of="a")[::-1]

    def test_knows_the_types_of_the_keys(self):
        with pytest.raises(ValueError, match="'r' in 'by_rating' are strings, and not 1"):
            feed_of(Letter.by_rating, [1])
        with pytest.raises(ValueError, match="'s' in 'by_rating' are numbers, and not '2026'"):
            feed_of(Letter.by_rating, ["a"], begins_with="2026")

    def test_is_metered(self):
        with metered() as cost:
            feed_of(Letter.by_rating, ["a", "b"]).page(5)
        assert cost.calls == 2
        assert cost.units > 0


class TestAFeedOfATable:
    def test_is_in_the_order_of_its_sort_key(self):
        found = feed_of(Letter, ["thread-1"], newest_first=False).page(3)
        assert [one.number for one in found.items] == [1, 3, 5]

    def test_knows_the_types_of_its_keys(self):
        assert index_of(Letter).key_types == {"pk": "S", "sk": "N"}

    def test_is_read_by_the_client_that_is_given(self):
        own, seen = build_client(current_connection()), []
        own.meta.events.register("before-call.dynamodb.Query", lambda **_: seen.append("a Query"))
        feed_of(Letter, ["thread-1"], client=own).page(3)
        assert seen == ["a Query"]

    def test_may_be_parsed_by_another_model_of_the_table(self):
        class Short(Model):
            class Meta:
                table_name = TABLE

            thread = UnicodeAttribute(attr_name="pk", hash_key=True)
            number = NumberAttribute(attr_name="sk", range_key=True)

        found = feed_of(Letter, ["thread-1"], model=Short, client=client()).page(1)
        assert isinstance(found.items[0], Short)


class TestAModelWithoutASortKey:
    def test_has_no_feed(self):
        class Lonely(Model):
            class Meta:
                table_name = "lonely"

            key = UnicodeAttribute(hash_key=True)

        with pytest.raises(ValueError, match="lonely has no sort key"):
            feed_of(Lonely, ["x"])
