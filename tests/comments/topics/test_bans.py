"""Words that staff ban as topics: of a product, of all, and allowed again."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from unittest.mock import patch

import pytest

from comments import keys
from comments.models import TABLE
from comments.signals import topic_banned
from comments.store.table import read_item
from comments.store.writing import QUEUE
from comments.topics import banning, making
from comments.topics.banning import TooManyBanned, allow, ban, take_out_banned
from comments.topics.bans import read_banned, read_banned_for_all, read_topics_and_bans
from comments.topics.records import Topic, item_of
from comments.topics.stored import read_topics, replace_topics
from dynapages.calls import metered
from dynapages.process import client
from dynapages.writes import Contended
from dynapages_testing.hooks import before_the_next
from tests.support.comments.faulty import Killed, before_the_next_transaction, faults
from tests.support.comments.said import choose_all, talk
from tests.support.comments.said import put as put_comments
from tests.support.comments.topical import Word, put_topics, with_topics
from tests.support.comments.writers import made_product, someone
from tests.support.work import work_off

pytestmark = pytest.mark.usefixtures("few_items", "nothing_is_banned")
NOW = datetime(2026, 11, 28, 10, 0, tzinfo=UTC)
BATTERY, WHEELS, AKKU = ("en", "batteri"), ("en", "wheel"), ("de", "akku")
WORDS = {
    "en": (Word("battery", 40, 5), Word("wheels", 30, 30)),
    "de": (Word("Akku", 35, 5),),
}


@pytest.fixture
def nothing_is_banned():
    """The tables have nothing that is banned for all, and owe nothing."""
    client().delete_item(TableName=TABLE, Key=keys.banned_topics())
    for owed in QUEUE.waiting():
        QUEUE.done(owed)


@pytest.fixture
def scooter(fresh):
    return put_topics(fresh("scooter"), WORDS)


@pytest.fixture
def lantern(fresh):
    return put_topics(fresh("lantern"), WORDS)


@pytest.fixture
def said():
    """What the signal says of each ban."""
    received = []

    def receive(sender, signal, **arguments):
        received.append(arguments)

    topic_banned.connect(receive)
    yield received
    topic_banned.disconnect(receive)


def forms(product_id: str, language: str = "en") -> list[str]:
    return [topic.form for topic in read_topics(product_id).languages[language].topics]


def kinds_owed() -> list[str]:
    return [owed.kind for owed in QUEUE.waiting()]


class TestAWordThatIsBannedForAProduct:
    def test_is_no_topic_of_it_any_more(self, scooter):
        assert ban(scooter, BATTERY, everywhere=False, now=NOW)
        assert forms(scooter) == ["wheels"]
        assert forms(scooter, "de") == ["Akku"]
        assert read_banned(scooter) == {BATTERY}

    def test_stays_one_of_others(self, scooter, lantern):
        ban(scooter, BATTERY, everywhere=False, now=NOW)
        assert forms(lantern) == ["battery", "wheels"]
        assert read_banned(lantern) == frozenset()
        assert kinds_owed() == []

    def test_need_not_be_a_topic(self, scooter):
        version = read_topics(scooter).version
        assert ban(scooter, ("en", "brake"), everywhere=False, now=NOW)
        assert read_topics(scooter).version == version
        assert read_banned(scooter) == {("en", "brake")}

    def test_may_be_of_a_product_without_topics(self, fresh):
        product_id = fresh("kettle")
        assert ban(product_id, BATTERY, everywhere=False, now=NOW)
        assert read_banned(product_id) == {BATTERY}
        assert not read_item(keys.topics(product_id))

    def test_is_banned_once(self, scooter, said):
        assert ban(scooter, BATTERY, everywhere=False, now=NOW)
        assert not ban(scooter, BATTERY, everywhere=False, now=NOW)
        assert len(said) == 1
        assert read_banned(scooter) == {BATTERY}

    def test_is_taken_out_again_where_it_has_come_back(self, scooter):
        ban(scooter, BATTERY, everywhere=False, now=NOW)
        put_topics(scooter, WORDS, version=7)
        assert not ban(scooter, BATTERY, everywhere=False, now=NOW)
        assert forms(scooter) == ["wheels"]

    def test_is_of_its_language_alone(self, scooter):
        ban(scooter, ("de", "batteri"), everywhere=False, now=NOW)
        assert forms(scooter) == ["battery", "wheels"]

    @pytest.mark.real_engine
    def test_costs_three_reads_and_a_transaction(self, scooter):
        ban(scooter, WHEELS, everywhere=False, now=NOW)
        with metered() as meter:
            ban(scooter, BATTERY, everywhere=False, now=NOW)
        assert (meter.calls, meter.units) == (2, 3 + 2 + 2)


class TestAWordThatIsBannedForAll:
    def test_is_no_topic_of_the_product_at_once(self, scooter):
        assert ban(scooter, BATTERY, everywhere=True, now=NOW)
        assert forms(scooter) == ["wheels"]
        assert read_banned_for_all() == {BATTERY}

    def test_is_none_of_any_product_a_while_later(self):
        products = [made_product() for _ in range(3)]
        for product_id in products:
            someone("writer").has_written(product_id)
            put_topics(product_id, WORDS)
        ban(products[0], BATTERY, everywhere=True, now=NOW)
        ban(products[0], AKKU, everywhere=True, now=NOW)
        assert kinds_owed().count(banning.KIND) == 1
        work_off()
        for product_id in products:
            assert forms(product_id) == ["wheels"]
            assert forms(product_id, "de") == []

    def test_is_taken_out_of_each_once(self, scooter, lantern, fresh):
        ban(scooter, BATTERY, everywhere=True, now=NOW)
        everything = [scooter, lantern, lantern, fresh("kettle")]
        assert take_out_banned(everything) == 1
        version = read_topics(lantern).version
        assert take_out_banned(everything) == 0
        assert forms(lantern) == ["wheels"]
        assert read_topics(lantern).version == version

    def test_is_taken_out_though_many_come_before_it(self, scooter, monkeypatch):
        monkeypatch.setattr(banning, "PRODUCTS_AT_ONCE", 2)
        client().put_item(TableName=TABLE, Item={**keys.banned_topics(), **_banning("en/batteri")})
        assert take_out_banned([f"nothing-{number}" for number in range(5)] + [scooter]) == 1
        assert forms(scooter) == ["wheels"]

    @pytest.mark.real_engine
    def test_costs_a_unit_for_each_product(self, scooter, lantern):
        ban(scooter, BATTERY, everywhere=True, now=NOW)
        take_out_banned([lantern])
        with metered() as meter:
            take_out_banned([scooter, lantern])
        assert (meter.calls, meter.units) == (2, 3)

    def test_costs_nothing_more_where_none_is(self):
        with metered() as meter:
            assert take_out_banned(iter(["lamp"])) == 0
        assert meter.calls == 1


def _banning(*words: str) -> dict[str, object]:
    return {"n": {"N": "1"}, "stems": {"SS": list(words)}}


class TestAWordThatIsAllowedAgain:
    def test_is_banned_no_more(self, scooter):
        ban(scooter, BATTERY, everywhere=False, now=NOW)
        ban(scooter, AKKU, everywhere=True, now=NOW)
        assert allow(scooter, BATTERY, everywhere=False, now=NOW)
        assert read_banned(scooter) == {AKKU}
        assert allow(scooter, AKKU, everywhere=True, now=NOW)
        assert read_banned(scooter) == frozenset()

    def test_has_the_topics_made_anew(self, scooter):
        ban(scooter, BATTERY, everywhere=False, now=NOW)
        allow(scooter, BATTERY, everywhere=False, now=NOW)
        (owed,) = QUEUE.waiting()
        assert owed.kind == making.KIND
        assert owed.payload == making.making_owed(scooter).payload

    def test_was_banned_or_nothing_is_written(self, scooter, said):
        assert not allow(scooter, BATTERY, everywhere=False, now=NOW)
        ban(scooter, BATTERY, everywhere=True, now=NOW)
        said.clear()
        assert not allow(scooter, BATTERY, everywhere=False, now=NOW)
        assert said == []
        assert making.KIND not in kinds_owed()
        assert read_banned(scooter) == {BATTERY}

    def test_can_be_banned_once_more(self, scooter):
        for _ in range(2):
            assert ban(scooter, BATTERY, everywhere=False, now=NOW)
            assert allow(scooter, BATTERY, everywhere=False, now=NOW)


class TestTopicsThatAreMadeAnew:
    """By the worker, with the words of the comments that the product has."""

    @pytest.fixture
    def kettle(self, fresh, monkeypatch):
        monkeypatch.setattr(making, "choose_topics", choose_all)
        product_id = fresh("kettle")
        put_comments(talk(product_id, body="Battery, brakes."))
        with with_topics():
            self.make_anew(product_id)
            yield product_id

    def make_anew(self, product_id: str) -> None:
        making.owe_making(product_id)
        work_off()

    @pytest.mark.parametrize("everywhere", [False, True])
    def test_do_without_the_word_until_it_is_allowed_again(self, kettle, everywhere):
        assert forms(kettle) == ["battery", "brakes"]
        ban(kettle, BATTERY, everywhere=everywhere, now=NOW)
        self.make_anew(kettle)
        assert forms(kettle) == ["brakes"]
        allow(kettle, BATTERY, everywhere=everywhere, now=NOW)
        assert forms(kettle) == ["brakes"]
        work_off()
        assert forms(kettle) == ["battery", "brakes"]

    def test_do_without_a_word_that_is_banned_while_they_are_made(self, kettle):
        read = making.read_comments

        def ban_behind(*arguments):
            yield from read(*arguments)
            ban(kettle, BATTERY, everywhere=False, now=NOW)

        with patch.object(making, "read_comments", ban_behind):
            self.make_anew(kettle)
        assert forms(kettle) == ["brakes"]


class TestSoManyBans:
    @pytest.fixture(autouse=True)
    def few_are_allowed(self, monkeypatch):
        monkeypatch.setattr(banning, "MOST_OF_PRODUCT", 2)
        monkeypatch.setattr(banning, "MOST_OF_ALL", 3)

    @pytest.mark.parametrize(
        ("everywhere", "most", "whose"), [(False, 2, "this product"), (True, 3, "all products")]
    )
    def test_are_as_many_as_there_may_be(self, scooter, everywhere, most, whose):
        for number in range(most):
            ban(scooter, ("en", f"word{number}"), everywhere=everywhere, now=NOW)
        with pytest.raises(TooManyBanned, match=whose):
            ban(scooter, BATTERY, everywhere=everywhere, now=NOW)
        assert forms(scooter) == ["battery", "wheels"]
        # What is banned already needs no room.
        assert not ban(scooter, ("en", "word0"), everywhere=everywhere, now=NOW)
        allow(scooter, ("en", "word0"), everywhere=everywhere, now=NOW)
        assert ban(scooter, BATTERY, everywhere=everywhere, now=NOW)


def test_the_sentences_say_how_many_bans_there_may_be():
    said = [int(re.findall(r"\d+", banning.TOO_MANY_OF_PRODUCT)[0])]
    said += [int(re.findall(r"\d+", banning.TOO_MANY_OF_ALL)[0])]
    assert said == [banning.MOST_OF_PRODUCT, banning.MOST_OF_ALL]


class TestTheSignal:
    def test_says_who_banned_what(self, scooter, said):
        ban(scooter, BATTERY, everywhere=False, by="sam", now=NOW)
        allow(scooter, BATTERY, everywhere=False, by="kim", now=NOW)
        ban(scooter, AKKU, everywhere=True, by="sam", now=NOW)
        told = [(one["by"], one["product_id"], one["stem"], one["is_banned"]) for one in said]
        assert told == [
            ("sam", scooter, "batteri", True),
            ("kim", scooter, "batteri", False),
            ("sam", "", "akku", True),
        ]
        assert {one["moment"] for one in said} == {NOW}
        assert [one["language"] for one in said] == ["en", "en", "de"]


class TestAtTheSameTime:
    """Bans, and others who write topics: whatever comes first, the word is out in the end."""

    def test_topics_that_are_made_meanwhile_are_not_lost(self, scooter):
        def make() -> None:
            before = read_topics(scooter)
            made = before.languages["en"]
            brake = Topic("brake", "brake", 33, 3)
            changed = {**before.languages, "en": _with(made, brake)}
            replace_topics(scooter, before, changed)

        with before_the_next_transaction(make):
            assert ban(scooter, BATTERY, everywhere=False, now=NOW)
        assert forms(scooter) == ["wheels", "brake"]

    def test_topics_that_are_made_first_do_without_the_word(self, fresh):
        """They were stored behind the read of the ban, in which there were none."""
        kettle = fresh("kettle")
        with before_the_next_transaction(lambda: put_topics(kettle, WORDS)):
            ban(kettle, BATTERY, everywhere=False, now=NOW)
        assert forms(kettle) == ["wheels"]

    def test_topics_that_change_behind_the_read_of_the_walk_do_without_it(self, scooter, lantern):
        ban(scooter, BATTERY, everywhere=True, now=NOW)
        changed = item_of(lantern, read_topics(lantern)) | {"n": {"N": "5"}}

        def change() -> None:
            client().put_item(TableName=TABLE, Item=changed)

        with before_the_next("PutItem", change):
            assert take_out_banned([lantern]) == 1
        assert forms(lantern) == ["wheels"]
        assert read_topics(lantern).version == 6

    def test_a_ban_that_is_written_meanwhile_is_kept(self, scooter):
        def ban_another() -> None:
            ban(scooter, WHEELS, everywhere=False, now=NOW)

        with before_the_next_transaction(ban_another):
            ban(scooter, BATTERY, everywhere=False, now=NOW)
        assert read_banned(scooter) == {BATTERY, WHEELS}
        assert forms(scooter) == []

    def test_many_bans_are_all_kept(self, scooter):
        words = [("en", f"word{number}") for number in range(8)] + [BATTERY]

        def ban_one(word: tuple[str, str]) -> None:
            for _attempt in range(20):
                with suppress(Contended):
                    ban(scooter, word, everywhere=False, now=NOW)
                    return

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(ban_one, words))
        assert read_banned(scooter) == set(words)
        assert forms(scooter) == ["wheels"]


def _with(made, topic):
    return type(made)(made.made_at, made.comments, made.stars, (*made.topics, topic))


class TestAFaultAtAnyCall:
    def test_of_a_ban_leaves_all_or_nothing_of_it(self, fresh):
        for when in ("before it is sent", "after it was applied"):
            for fault in faults(when, every_call=True, kills=True):
                product_id = put_topics(fresh("scooter"), WORDS)
                with fault.injected(), suppress(Killed):
                    ban(product_id, BATTERY, everywhere=False, now=NOW)
                topics, bans = read_topics_and_bans(product_id)
                is_topic = BATTERY[1] in {one.stem for one in topics.languages["en"].topics}
                assert is_topic == (BATTERY not in bans.words), fault.calls
                ban(product_id, BATTERY, everywhere=False, now=NOW)
                assert forms(product_id) == ["wheels"]

    def test_of_the_walk_leaves_what_the_next_one_takes_out(self, fresh):
        client().put_item(TableName=TABLE, Item={**keys.banned_topics(), **_banning("en/batteri")})
        for when in ("before it is sent", "after it was applied"):
            for fault in faults(when, every_call=True, kills=True):
                products = [put_topics(fresh("scooter"), WORDS) for _ in range(2)]
                with fault.injected(), suppress(Killed):
                    take_out_banned(products)
                take_out_banned(products)
                assert [forms(product_id) for product_id in products] == [["wheels"]] * 2
