import pytest
from datetime import timedelta
from comments.items import NewComment
from comments.services import add_comment
from comments import votes, reporting, moderation
from comments.moderation_queries import list_moderated
from comments.reporting import Reason
from comments.seen import State
from comments.counts import counts_of
from comments.ranking_queries import list_most_helpful
from comments.integrity import comment_differences
from dynamo.reader import PageRequest
from tests.comments.truth import START
pytestmark = pytest.mark.usefixtures("tables")

def test_all(fresh):
    c = NewComment(id=fresh("c"), product_id=fresh("p"), language="en", rating=5, created_at=START, author="al", body="x", username="al")
    add_comment(c)
    assert votes.vote(comment_id=c.id, username="bob") == 1
    assert votes.vote(comment_id=c.id, username="bob") == 1
    assert votes.vote(comment_id=c.id, username="cat") == 2
    assert votes.take_back(comment_id=c.id, username="cat") == 1
    assert votes.take_back(comment_id=c.id, username="cat") == 1
    with pytest.raises(votes.OwnComment):
        votes.vote(comment_id=c.id, username="al")
    assert [h.helpful for h in list_most_helpful(c.product_id, PageRequest(5)).comments] == [1]
    now = START + timedelta(days=3)
    assert reporting.report_comment(comment_id=c.id, username="bob", reason=Reason.SPAM, text="no", now=now)
    assert not reporting.report_comment(comment_id=c.id, username="bob", reason=Reason.SPAM, text="no", now=now)
    m = [x for x in list_moderated(State.REPORTED, PageRequest(50)).comments if x.id == c.id]
    print(m)
    moderation.hide(comment_id=c.id, seen=m[0].seen, now=now)
    assert counts_of(c.product_id).total == 0
    assert list_most_helpful(c.product_id, PageRequest(5)).comments == ()
    print([d for d in comment_differences() if c.id in d.subject or c.product_id in d.subject])
    h = [x for x in list_moderated(State.HIDDEN, PageRequest(50)).comments if x.id == c.id]
    with pytest.raises(moderation.NotAsSeen):
        moderation.keep(comment_id=c.id, seen=m[0].seen)
    moderation.restore(comment_id=c.id, seen=h[0].seen)
    assert counts_of(c.product_id).total == 1
    assert [h.helpful for h in list_most_helpful(c.product_id, PageRequest(5)).comments] == [1]
    print([d for d in comment_differences() if c.id in d.subject or c.product_id in d.subject])
    moderation.delete(comment_id=c.id, now=now)
    print([d for d in comment_differences() if c.id in d.subject or c.product_id in d.subject])
