"""``make_topics`` and ``topics``: what they do, what they print, and with what they end."""

import re
from io import StringIO
from unittest.mock import patch

import pytest
from django.core.management import CommandError, call_command

from comments.moderation.services import Decision, carry_out
from comments.posting.services import delete_comment
from comments.rankings.services import RankHint, refresh_ranks
from comments.topics import making
from comments.topics.records import Topic
from comments.topics.stored import read_topics, replace_topics
from dynapages.calls import Unreachable, clock
from dynapages.writes import Contended
from tests.support.chance import unique
from tests.support.comments.options import comments_set
from tests.support.comments.said import choose_all, forms, put, talk
from tests.support.comments.searched import searching
from tests.support.work import finish_what_waits

pytestmark = pytest.mark.usefixtures("tables", "topical")


@pytest.fixture(scope="module")
def site(tables, engine_name):
    """A site with topics, in tables of the module's own."""
    with searching(engine_name), comments_set(SEARCH=True, TOPICS=True):
        yield
        finish_what_waits()


@pytest.fixture
def topical(site, monkeypatch):
    monkeypatch.setattr(making, "choose_topics", choose_all)


@pytest.fixture
def lamp():
    """A product with 40 comments, of which 10 are good; it is in the ranking of products."""
    product_id = unique("lamp")
    put(talk(product_id, 40, ratings=(1, 2, 3, 5)))
    refresh_ranks({product_id: RankHint()})
    return product_id


def run(command: str, *product_ids: str, **options: bool) -> list[str]:
    """Run a command; the lines it prints."""
    printed = StringIO()
    call_command(command, *product_ids, stdout=printed, stderr=printed, **options)
    return printed.getvalue().splitlines()


def with_code(command: str, *product_ids: str, **options: bool) -> tuple[int, list[str]]:
    """Run a command; the code it ends with, and the lines it prints."""
    printed = StringIO()
    code = 0
    try:
        call_command(command, *product_ids, stdout=printed, stderr=printed, **options)
    except SystemExit as end:
        code = int(end.code or 0)
    except CommandError as error:
        code = error.returncode
        printed.write(f"{error}\n")
    return code, printed.getvalue().splitlines()


def without_units(lines: list[str]) -> list[str]:
    return [
        re.sub(r"[\d,.]+ units?( on this engine; [\d,.]+ on Amazon DynamoDB)?", "UNITS", line)
        for line in lines
    ]


class TestToMakeTopics:
    def test_makes_what_is_due_and_says_so(self, lamp):
        assert without_units(run("make_topics", lamp)) == [
            f"{lamp}: 2 topics from 40 comments in en. UNITS.",
            "Products whose topics were made: 1. UNITS.",
        ]
        assert forms(read_topics(lamp).languages["en"].topics) == ["battery", "died"]

    def test_makes_nothing_that_is_not_due(self, lamp):
        run("make_topics", lamp)
        assert without_units(run("make_topics", lamp)) == [
            "Products whose topics were made: 0. UNITS."
        ]

    def test_makes_all_anew_that_are_to_be(self, lamp):
        run("make_topics", lamp)
        run("make_topics", lamp, anew=True)
        assert read_topics(lamp).version == 2

    def test_makes_those_of_all_products(self, lamp):
        others = [unique("lamp"), unique("lamp")]
        put([comment for each in others for comment in talk(each, 30)])
        refresh_ranks(dict.fromkeys(others, RankHint()))
        printed = "\n".join(run("make_topics"))
        for product_id in (lamp, *others):
            assert product_id in printed
            assert read_topics(product_id).version == 1

    def test_makes_those_of_more_comments_than_the_worker_counts(self, lamp, monkeypatch):
        monkeypatch.setattr(making, "MOST_IN_WORKER", 30)
        run("make_topics", lamp)
        assert read_topics(lamp).version == 1

    def test_says_where_too_few_comments_are_left(self, lamp):
        german = talk(lamp, 30, body="Akku", language="de")
        put(german)
        run("make_topics", lamp)
        for comment in german[:1]:
            delete_comment(comment.id)
        assert without_units(run("make_topics", lamp)) == [
            f"{lamp}: too few comments in de. UNITS.",
            "Products whose topics were made: 1. UNITS.",
        ]

    def test_says_one_topic(self):
        lamp = unique("lamp")
        put(talk(lamp, 30, body="Battery"))
        assert "1 topic from 30 comments in en" in run("make_topics", lamp)[0]

    @pytest.mark.parametrize("failure", [Contended(), ZeroDivisionError()])
    def test_goes_on_behind_a_product_that_fails_and_ends_with_1(self, lamp, failure):
        broken = unique("lamp")
        put(talk(broken, 30))
        real = making.make_topics

        def make(product_id, *args, **kwargs):
            if product_id == broken:
                raise failure
            return real(product_id, *args, **kwargs)

        with patch("comments.management.commands.make_topics.make_topics", make):
            code, printed = with_code("make_topics", broken, lamp)
        assert code == 1
        assert printed[0].startswith(f"{broken}: ")
        assert printed[-1] == "Products whose topics failed: 1. Run the command again."
        assert read_topics(lamp).version == 1
        assert read_topics(broken).version == 0

    def test_ends_where_the_database_is_away(self, lamp):
        with patch(
            "comments.management.commands.make_topics.read_standing", side_effect=Unreachable
        ) as read:
            code, printed = with_code("make_topics", lamp, lamp)
        assert (code, read.call_count) == (1, 1)
        assert printed[-1].startswith("The database cannot be reached")


@pytest.mark.parametrize("command", ["make_topics", "topics"])
class TestBoth:
    def test_refuse_a_product_that_there_is_not(self, command):
        with pytest.raises(CommandError, match="There is no product “nothing”"):
            run(command, "nothing")

    def test_take_a_product_that_left_the_catalogue(self, command, lamp):
        with patch("comments.management.topic_options.find_existing", return_value={}):
            run(command, lamp)

    def test_refuse_to_begin_where_topics_are_off(self, command):
        with comments_set(TOPICS=False), pytest.raises(CommandError, match="switched off"):
            run(command)


class TestToShowTopics:
    def test_prints_what_is_stored(self, lamp):
        run("make_topics", lamp)
        made_at = read_topics(lamp).languages["en"].made_at
        assert run("topics", lamp) == [
            f"{lamp}, en, 40 comments on {made_at:%Y-%m-%d %H:%M} UTC:",
            "  battery · 40 · 25 % happy",
            "  died · 40 · 25 % happy",
        ]

    def test_prints_that_nothing_was_found(self):
        lamp = unique("lamp")
        put(talk(lamp, 30, body="😀"))
        run("make_topics", lamp)
        [line] = run("topics", lamp)
        assert line.endswith("UTC: no topics")

    def test_prints_those_of_all_products(self, lamp):
        run("make_topics", lamp)
        assert any(line.startswith(f"{lamp}, en") for line in run("topics"))


class TestToCheckTopics:
    def test_finds_nothing_right_after_they_were_made(self, lamp):
        run("make_topics", lamp)
        code, printed = with_code("topics", lamp, check=True)
        assert code == 0
        assert printed[-1] == "Wrong: 0. Changed since, with their comments: 0."

    @pytest.mark.parametrize(("comments", "good"), [(39, 10), (40, 11)])
    def test_finds_a_wrong_number_and_ends_with_1(self, lamp, comments, good):
        run("make_topics", lamp)
        stored = read_topics(lamp)
        english = stored.languages["en"]
        wrong = (Topic("batteri", "battery", comments, good), *english.topics[1:])
        changed = making.LanguageTopics(english.made_at, 40, english.stars, wrong)
        replace_topics(lamp, stored, {"en": changed})
        code, printed = with_code("topics", lamp, check=True)
        assert code == 1
        now = "battery in en is in 40 comments now, 10 of them good"
        assert printed[-2:] == [
            f"  WRONG: {now}; stored are {comments} and {good}",
            "Wrong: 1. Changed since, with their comments: 0.",
        ]

    def test_finds_a_form_that_no_comment_has(self, lamp):
        run("make_topics", lamp)
        stored = read_topics(lamp)
        english = stored.languages["en"]
        topics = (Topic("batteri", "batteries", 40, 10), *english.topics[1:])
        changed = making.LanguageTopics(english.made_at, 40, english.stars, topics)
        replace_topics(lamp, stored, {"en": changed})
        code, printed = with_code("topics", lamp, check=True)
        assert code == 1
        assert printed[-2].endswith("stored are 40 and 10; nobody writes it so")

    def test_finds_a_word_that_no_comment_has(self, lamp):
        run("make_topics", lamp)
        stored = read_topics(lamp)
        english = stored.languages["en"]
        topics = (*english.topics, Topic("plug", "plug", 3, 1))
        changed = making.LanguageTopics(english.made_at, 40, english.stars, topics)
        replace_topics(lamp, stored, {"en": changed})
        code, printed = with_code("topics", lamp, check=True)
        assert code == 1
        assert "  WRONG: plug in en is in 0 comments now" in printed[-2]

    def test_lists_what_changed_with_its_comments_and_ends_with_0(self, lamp):
        run("make_topics", lamp)
        gone = talk(lamp, 1, body="Battery died.")
        put(gone)
        code, printed = with_code("topics", lamp, check=True)
        assert code == 0
        assert printed[-3].startswith("  changed since: battery in en is in 41 comments now, 11")
        assert printed[-1] == "Wrong: 0. Changed since, with their comments: 2."

    def test_counts_no_hidden_comments(self, lamp):
        hidden = talk(lamp, 5, body="Hidden scandal.")
        put(hidden)
        for comment in hidden:
            carry_out(Decision.HIDE, comment_id=comment.id, now=clock.now())
        run("make_topics", lamp, anew=True)
        assert forms(read_topics(lamp).languages["en"].topics) == ["battery", "died"]
        assert with_code("topics", lamp, check=True)[0] == 0
