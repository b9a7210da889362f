"""Topics are made of what is stored, and nothing that happens meanwhile makes them wrong."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from math import ceil
from threading import Barrier
from unittest.mock import patch

import pytest

from comments import keys
from comments.models import TABLE
from comments.posting.services import delete_comment
from comments.store.table import ATTEMPTS, read_item
from comments.topics import making, samples
from comments.topics.making import make_topics
from comments.topics.records import Topic, TopicsOfProduct
from comments.topics.samples import Vocabularies
from comments.topics.stored import read_topics, replace_topics
from comments.topics.vocabulary import Vocabulary
from dynapages.calls import metered
from dynapages.items import item_bytes
from dynapages.process import client
from dynapages.pynamodb import FAILURES
from dynapages.writes import Contended
from shop.catalogue.services import ensure_products
from tests.support.chance import unique
from tests.support.comments.faulty import When, faults
from tests.support.comments.loading import load
from tests.support.comments.said import choose_all, forms, talk
from tests.support.comments.truth import START

pytestmark = pytest.mark.usefixtures("tables", "choosing")
NOW = START + timedelta(days=1)


@pytest.fixture
def choosing(monkeypatch):
    monkeypatch.setattr(making, "choose_topics", choose_all)


@pytest.fixture
def lamp():
    return unique("lamp")


class NoVocabularies(Vocabularies):
    """Of languages that nobody has written in."""

    def __init__(self) -> None:
        super().__init__(list, NOW)

    def of(self, language: str) -> Vocabulary:
        return Vocabulary(language)


def make(product_id: str, *languages: str) -> TopicsOfProduct:
    return make_topics(product_id, languages or ("en",), NoVocabularies(), now=NOW)


def ban(product_id: str, *words: str) -> None:
    """Ban words, each a language and a stem, such as en/batteri; of all products where it is ""."""
    item = {**keys.banned_topics(product_id), "n": {"N": "1"}, "stems": {"SS": [*words]}}
    client().put_item(TableName=TABLE, Item=item)


@pytest.fixture
def allowed() -> Iterator[None]:
    """Nothing is banned of all products after the test."""
    yield
    client().delete_item(TableName=TABLE, Key=keys.banned_topics())


class TestWhatIsMade:
    def test_has_the_numbers_of_comments_and_of_good_ones(self, lamp):
        load(talk(lamp, 40, ratings=(1, 2, 3, 5)))
        made = make(lamp)
        assert made == read_topics(lamp)
        of_language = made.languages["en"]
        assert (of_language.comments, of_language.stars) == (40, 110)
        assert of_language.made_at == NOW
        assert Topic("batteri", "battery", 40, 10) in of_language.topics
        assert made.version == 1

    def test_counts_each_language_for_itself(self, lamp):
        load([*talk(lamp, 30), *talk(lamp, 31, body="Der Akku ist schwach.", language="de")])
        made = make(lamp, "de", "en")
        assert forms(made.languages["en"].topics) == ["battery", "died"]
        assert forms(made.languages["de"].topics) == ["akku", "schwach"]

    def test_leaves_the_topics_of_other_languages_as_they_were(self, lamp):
        load([*talk(lamp, 30), *talk(lamp, 30, body="Akku", language="de")])
        before = make(lamp, "en")
        after = make(lamp, "de")
        assert after.languages["en"] == before.languages["en"]
        assert after.languages.keys() == {"de", "en"}
        assert after.version == 2

    def test_has_a_language_in_which_nothing_was_found(self, lamp):
        load(talk(lamp, 30, body="😀"))
        assert make(lamp).languages["en"].topics == ()

    def test_lacks_a_language_with_too_few_comments(self, lamp):
        load([*talk(lamp, 29), *talk(lamp, 30, language="de")])
        assert make(lamp, "de", "en").languages.keys() == {"de"}

    def test_loses_a_language_that_has_too_few_comments_by_now(self, lamp):
        german = talk(lamp, 30, language="de")
        load([*talk(lamp, 30), *german])
        make(lamp, "de", "en")
        delete_comment(german[0].id)
        assert make(lamp, "de").languages.keys() == {"en"}

    def test_is_deleted_where_no_language_is_left(self, lamp):
        comments = talk(lamp, 30)
        load(comments)
        make(lamp)
        delete_comment(comments[0].id)
        assert make(lamp) == TopicsOfProduct()
        assert read_item(keys.topics(lamp)) == {}

    def test_is_nothing_where_there_was_nothing(self, lamp):
        load(talk(lamp, 3))
        with metered() as meter:
            assert make(lamp) == TopicsOfProduct()
        assert "PutItem" not in {call.operation for call in meter.log}

    def test_lacks_the_names_of_the_product(self, lamp):
        ensure_products(product_ids={lamp})
        load(talk(lamp))
        with patch.object(making, "find_existing") as find:
            find.return_value = {lamp: type("Named", (), {"name": "batteri"})}
            assert forms(make(lamp).languages["en"].topics) == ["died"]

    def test_is_compared_with_the_words_of_others_alone(self, lamp, monkeypatch):
        """The product's own newest comments are in the sample, and taken out of it."""
        other = unique("lamp")
        load([*talk(lamp, 30), *talk(other, 12)])
        monkeypatch.setattr(making, "SAMPLE", 20)
        monkeypatch.setattr(samples, "SAMPLE", 20)
        compared: list[Vocabulary] = []

        def choose(tally, others, **_):
            compared.append(others)
            return []

        monkeypatch.setattr(making, "choose_topics", choose)
        vocabularies = Vocabularies(lambda: [lamp, other], NOW, longest_used=timedelta(0))
        make_topics(lamp, ["en"], vocabularies, now=NOW)
        assert [others.comments for others in compared] == [12]
        assert [others.product_ids for others in compared] == [{other}]

    def test_may_be_of_a_product_that_is_gone(self, lamp):
        load(talk(lamp))
        with patch.object(making, "find_existing", return_value={}):
            assert forms(make(lamp).languages["en"].topics) == ["battery", "died"]

    @pytest.mark.usefixtures("allowed")
    def test_lacks_what_is_banned_of_the_product_or_of_all(self, lamp):
        load(talk(lamp, body="Battery died. Charger broke."))
        ban(lamp, "en/batteri", "de/charger")
        ban("", "en/die")
        assert forms(make(lamp).languages["en"].topics) == ["broke", "charger"]

    @pytest.mark.real_engine
    def test_costs_what_reading_the_comments_costs_and_one_write(self, lamp):
        """And three units for the topics before and the banned words, two for these behind it."""
        load(talk(lamp, 60))
        names = _units_of_names(lamp)
        with metered() as meter:
            make(lamp)
        read = ceil(_bytes_of_entries(lamp) / 4_096) / 2
        written = ceil(item_bytes(read_item(keys.topics(lamp))) / 1_024)
        assert meter.units == names + 3 + read + written + 2


def _units_of_names(product_id: str) -> float:
    with metered() as meter:
        making._names_of(product_id)
    return meter.units


def _bytes_of_entries(product_id: str) -> int:
    answer = client().query(
        TableName=TABLE,
        IndexName="by_language",
        KeyConditionExpression="l = :l",
        ExpressionAttributeValues={":l": {"S": keys.product_partition(product_id, "en")}},
    )
    return sum(map(item_bytes, answer["Items"]))


class TestWhatHappensMeanwhile:
    """Something is written between the reading of the comments and the write of the topics."""

    @pytest.fixture
    def meanwhile(self, monkeypatch):
        """Has a function called once, behind the first choice of topics."""

        def once(call) -> None:
            calls = [call]

            def choose(*args, **kwargs):
                topics = choose_all(*args, **kwargs)
                if calls:
                    calls.pop()()
                return topics

            monkeypatch.setattr(making, "choose_topics", choose)

        return once

    def test_a_word_that_was_taken_out_does_not_come_back(self, lamp, meanwhile):
        """Its only comment left the lists: the comments are read again."""
        comments = talk(lamp, 35)
        load(comments)
        make(lamp)

        def take_out() -> None:
            for comment in comments[:5]:
                delete_comment(comment.id)
            stored = read_topics(lamp)
            english = replace(stored.languages["en"], topics=())
            replace_topics(lamp, stored, {"en": english})

        meanwhile(take_out)
        made = make(lamp)
        assert made.version == 3
        assert {topic.comments for topic in made.languages["en"].topics} == {30}

    def test_another_making_of_another_language_keeps_its_topics(self, lamp, meanwhile):
        load([*talk(lamp, 30), *talk(lamp, 30, body="Akku", language="de")])
        meanwhile(lambda: make(lamp, "de"))
        assert make(lamp, "en").languages.keys() == {"de", "en"}
        assert read_topics(lamp).version == 2

    @pytest.mark.parametrize("of_all", [True, False])
    @pytest.mark.usefixtures("allowed")
    def test_a_word_that_was_banned_is_taken_out_again(self, lamp, meanwhile, of_all):
        load(talk(lamp))
        meanwhile(lambda: ban("" if of_all else lamp, "en/batteri"))
        made = make(lamp)
        assert forms(made.languages["en"].topics) == ["died"]
        assert made == read_topics(lamp)

    def test_somebody_who_writes_all_the_time_is_not_waited_for(self, lamp, monkeypatch):
        load(talk(lamp))
        attempts: list[int] = []

        def choose(*args, **kwargs):
            attempts.append(1)
            stored = read_topics(lamp)
            replace_topics(lamp, stored, {"de": making.LanguageTopics(NOW, 30, 120)})
            return choose_all(*args, **kwargs)

        monkeypatch.setattr(making, "choose_topics", choose)
        with pytest.raises(Contended, match="keep changing these topics"):
            make(lamp)
        assert len(attempts) == ATTEMPTS

    @pytest.mark.real_engine
    def test_many_that_make_them_at_once_leave_all_languages(self, lamp):
        languages = ("de", "en", "fr")
        load([comment for each in languages for comment in talk(lamp, 30, language=each)])
        together = Barrier(3)

        def make_one(language: str) -> None:
            together.wait()
            make(lamp, language)

        with ThreadPoolExecutor(3) as threads:
            list(threads.map(make_one, languages))
        made = read_topics(lamp)
        assert made.languages.keys() == {*languages}
        assert made.version == 3


@pytest.mark.parametrize("when", ["before it is sent", "after it was applied"])
def test_a_making_that_failed_at_any_call_is_made_again_whole(when: When):
    """A fault at each call, and once at none; then it is done again."""
    failed = 0
    for fault in faults(when, every_call=True):
        lamp = unique("lamp")
        load(talk(lamp))
        with fault.injected():
            try:
                make(lamp)
            except FAILURES:
                failed += 1
        made = make(lamp)
        assert forms(made.languages["en"].topics) == ["battery", "died"]
        assert made == read_topics(lamp)
    assert failed
