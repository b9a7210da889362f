"""The sample comments."""

import re
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from operator import attrgetter

import pytest

from comments.filters import is_language
from demo.sample.catalogue import sample_catalogue
from demo.sample.comments import SOURED, sample_comments
from demo.sample.reviews import PARAGRAPH, TONES, load_voices

NOW = datetime(2024, 5, 17, 12, 30, 15, 250_000, tzinfo=UTC)
LANGUAGES = {"de", "en", "es", "fr", "it", "ja", "nl", "pt"}


@pytest.fixture(scope="module")
def catalogue():
    return sample_catalogue()


@pytest.fixture(scope="module")
def comments(catalogue):
    return list(sample_comments(catalogue, now=NOW))


class TestTheNewComments:
    def test_are_as_many_as_asked_for(self, catalogue):
        assert len(list(sample_comments(catalogue, count=300, now=NOW))) == 300

    def test_are_the_same_for_the_same_seed(self, catalogue, comments):
        assert list(sample_comments(catalogue, now=NOW)) == comments

    def test_keep_everything_but_their_dates_on_another_day(self, catalogue, comments):
        later = sample_comments(catalogue, now=NOW + timedelta(days=30, microseconds=7))
        for comment, same in zip(comments, later, strict=True):
            assert same.created_at == comment.created_at + timedelta(days=30)
            assert (same.id, same.rating, same.body) == (comment.id, comment.rating, comment.body)

    def test_are_many_on_one_product_and_none_on_several(self, catalogue, comments):
        sizes = Counter(comment.product_id for comment in comments)
        (_, most), (_, second) = sizes.most_common(2)
        assert most == 2_500
        assert second < 500
        assert len(catalogue.products) - len(sizes) == 6

    def test_are_in_eight_languages_unevenly(self, comments):
        languages = Counter(comment.language for comment in comments)
        assert set(languages) == LANGUAGES
        assert all(map(is_language, languages))
        assert max(languages.values()) > 10 * min(languages.values())

    def test_turned_bad_lately_on_the_second_product(self, comments):
        _, (second, _) = Counter(comment.product_id for comment in comments).most_common(2)
        bad: dict[bool, list[bool]] = {True: [], False: []}
        for comment in comments:
            if comment.product_id == second:
                bad[comment.created_at > NOW - SOURED].append(comment.rating <= 2)
        assert sum(bad[True]) / len(bad[True]) > 0.5
        assert sum(bad[False]) / len(bad[False]) < 0.2


class TestTheDatesOfNewComments:
    def test_are_utc_and_within_three_years_before_now(self, comments):
        dates = [comment.created_at for comment in comments]
        assert all(date.tzinfo is UTC for date in dates)
        assert NOW - timedelta(days=1_096) <= min(dates) <= NOW - timedelta(days=1_000)
        assert NOW - timedelta(days=2) <= max(dates) <= NOW

    def test_are_sometimes_equal_on_one_product_in_whole_seconds(self, comments):
        moments = Counter((comment.product_id, comment.created_at) for comment in comments)
        bursts = [date for (_, date), size in moments.items() if size > 3]
        assert len(bursts) > 10
        assert {date.microsecond for date in bursts} == {0}


def windows(comments, key, size):
    """So many comments in a row of each list, newest first."""
    lists = defaultdict(list)
    for comment in sorted(comments, key=attrgetter("created_at", "id")):
        lists[key(comment)].append(comment)
    for listed in lists.values():
        for start in range(max(len(listed) - size, 0)):
            yield listed[start : start + size]


def sentences_of(body):
    """Each once: a text itself may say something twice. What has no letter is an emoji."""
    parts = re.split("(?<=[.!?\u3002\uff01\uff1f])\\s*", body)
    return {part for part in parts if re.search(r"[^\W\d_]", part)}


class TestTheTextsOfNewComments:
    def test_do_not_repeat_within_what_one_sees_at_once(self, comments):
        for few in windows(comments, attrgetter("product_id", "language"), 3):
            titles = [comment.title for comment in few if comment.title]
            assert len(set(titles)) == len(titles)
        for few in windows(comments, attrgetter("product_id", "language", "rating"), 4):
            titles = [comment.title for comment in few if comment.title]
            assert len(set(titles)) == len(titles)
        for few in windows(comments, attrgetter("product_id", "language"), 20):
            assert len({comment.body for comment in few}) == len(few)

    def test_share_no_sentence_with_their_neighbours_of_the_same_opinion(self, comments):
        def list_of(comment):
            return comment.product_id, comment.language, TONES[comment.rating]

        short = [comment for comment in comments if PARAGRAPH not in comment.body]
        for few in windows(short, list_of, 3):
            sentences = [one for comment in few for one in sentences_of(comment.body)]
            assert len(set(sentences)) == len(sentences)

    def test_are_sometimes_longer_than_a_kilobyte_in_every_language(self, comments):
        long = [comment for comment in comments if len(comment.body.encode()) > 1_024]
        assert {comment.language for comment in long} == LANGUAGES
        assert 0.04 < len(long) / len(comments) < 0.08

    def test_leave_no_placeholder_and_no_alternative_open(self, comments):
        assert not [c for c in comments if set("{}[]|") & set(c.title + c.body + c.author)]


@pytest.mark.parametrize("voice", load_voices(), ids=lambda voice: voice.language)
class TestAVoice:
    def test_names_every_kind_of_product(self, voice, catalogue):
        assert set(voice.nouns).issuperset(product.kind for product in catalogue.products)

    def test_has_details_for_every_category(self, voice, catalogue):
        assert set(voice.details) == {category.slug for category in catalogue.categories}
