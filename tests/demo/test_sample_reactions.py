"""What the sample's customers and staff make of its comments."""

from datetime import UTC, datetime, timedelta

import pytest

from demo.sample.catalogue import sample_catalogue
from demo.sample.comments import sample_comments
from demo.sample.orders import CUSTOMERS
from demo.sample.reactions import SampleReactions, sample_reactions

NOW = datetime(2024, 5, 17, 12, 30, 15, tzinfo=UTC)


def reactions(*, count: int = 600, now: datetime = NOW) -> SampleReactions:
    comments = list(sample_comments(sample_catalogue(), count=count, now=now))
    return sample_reactions(comments, CUSTOMERS)


class TestTheSampleReactions:
    def test_are_the_same_on_another_day(self):
        first, later = reactions(), reactions(now=NOW + timedelta(days=40))
        assert told(first) == told(later)

    def test_come_from_each_customer_once(self):
        votes = [(comment.id, username) for comment, username in reactions().votes]
        assert len(votes) == len(set(votes)) > 40

    def test_are_not_replies_to_what_is_reported(self):
        found = reactions()
        replied = {comment.id for comment, _ in found.replies}
        assert replied.isdisjoint(comment.id for comment, *_ in found.reports)

    @pytest.mark.parametrize("count", [1, 2, 20])
    def test_are_few_where_comments_are_few(self, count):
        found = reactions(count=count)
        assert len({comment.id for comment, _ in found.votes}) <= count
        assert len(found.picks) <= count


def told(found: SampleReactions) -> list[tuple[str, ...]]:
    return [
        *((comment.id, username) for comment, username in found.votes),
        *((comment.id, username, reason) for comment, username, reason, _ in found.reports),
        *((pick.id,) for pick in found.picks),
        *((comment.id, text) for comment, text in found.replies),
    ]
