"""Who may do what: every role and every action, by sending the form's fields without its page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from comments import keys
from comments.models import Comment
from comments.moderation.services import feature, hide
from comments.replies.services import reply_to
from comments.reports.services import Reason, report_comment
from comments.store.comments import Revision, StoredComment, load_comment
from comments.store.counts import counts_of
from comments.votes.queries import helpful_votes
from comments.votes.services import vote
from dynamo.calls.client import client
from shop.accounts.queries import find_user
from tests.support.comments.threads import NOW
from tests.support.comments.writers import (
    WORDS,
    Writer,
    delete_url,
    edit_url,
    made_product,
    new_url,
    nobody,
    someone,
)

pytestmark = pytest.mark.usefixtures("tables")

EDIT = {**WORDS, "title": "Changed", "version": "1"}
ROLES = ("visitor", "customer", "author", "staff")
SIGN_IN = 303
"""Stands for a redirect to the page to sign in."""


def nothing(_who: Writer, _posted: StoredComment) -> None:
    """Nothing has to be there for the action."""


def voted(who: Writer, posted: StoredComment) -> None:
    if who.username not in {"", posted.comment.username}:
        vote(comment_id=posted.comment.id, username=who.username)


def reported(_who: Writer, posted: StoredComment) -> None:
    comment_id = posted.comment.id
    report_comment(comment_id=comment_id, username="z", reason=Reason.SPAM, text="", now=NOW)


def hidden(_who: Writer, posted: StoredComment) -> None:
    hide(comment_id=posted.comment.id, now=NOW)


def picked(_who: Writer, posted: StoredComment) -> None:
    feature(posted.comment.id)


def replied(_who: Writer, posted: StoredComment) -> None:
    reply_to(comment_id=posted.comment.id, text="Hello.", author="z", seen=None, now=NOW)


@dataclass(frozen=True)
class Action:
    """A form that may be sent: the answers to `ROLES`, and for whom it ``changes`` anything."""

    url_name: str
    answers: tuple[int, int, int, int]
    changes: str
    fields: Mapping[str, str] = field(default_factory=dict)
    given: Callable[[Writer, StoredComment], None] = nothing

    def url(self, posted: StoredComment) -> str:
        argument = {
            "new_comment": posted.comment.product_id,
            "detect_language": None,
            "own_data": None,
        }
        known = argument.get(self.url_name, posted.comment.id)
        return reverse(self.url_name, args=[known] if known else [])


def decide(decision: str, given: Callable[[Writer, StoredComment], None]) -> Action:
    fields = {"decision": decision, "seen": "now"}
    return Action("decide_comment", (SIGN_IN, 404, 404, 302), "staff", fields, given)


def reply(
    fields: dict[str, str],
    visitor: int,
    given: Callable[[Writer, StoredComment], None] = nothing,
) -> Action:
    return Action("reply_to_comment", (visitor, 404, 404, 302), "staff", fields, given)


ACTIONS = {
    "post": Action(
        "new_comment", (403, 302, 302, 302), "customer author staff", {**WORDS, "form_id": "own"}
    ),
    "post by another's form": Action(
        "new_comment", (403, 422, 422, 422), "", {**WORDS, "form_id": "another's"}
    ),
    "edit": Action("edit_comment", (403, 404, 302, 404), "author", EDIT),
    "delete": Action("delete_comment", (SIGN_IN, 404, 302, 302), "author staff"),
    "vote": Action("vote_comment", (SIGN_IN, 302, 400, 302), "customer staff", {"helpful": "yes"}),
    "take a vote back": Action(
        "vote_comment", (SIGN_IN, 302, 302, 302), "customer staff", {"helpful": "no"}, voted
    ),
    "report": Action("report_comment", (403, 302, 400, 302), "customer staff", {"reason": "spam"}),
    "keep": decide("keep", reported),
    "hide": decide("hide", nothing),
    "restore": decide("restore", hidden),
    "delete as a decision": decide("delete", nothing),
    "pick": Action("feature_comment", (SIGN_IN, 404, 404, 302), "staff", {"featured": "yes"}),
    "take a pick back": Action(
        "feature_comment", (SIGN_IN, 404, 404, 302), "staff", {"featured": "no"}, picked
    ),
    "reply": reply({"text": "Thanks.", "version": "0"}, 403),
    "change a reply": reply({"text": "Thanks.", "version": "1"}, 403, replied),
    "delete a reply": reply({"delete": "yes"}, SIGN_IN, replied),
    "download one's data": Action("own_data", (SIGN_IN, 200, 200, 200), ""),
    "detect the language": Action("detect_language", (204, 200, 200, 200), "", WORDS),
}


@pytest.fixture(scope="module")
def people(tables):
    """One of each role."""
    return {
        "author": someone("alice"),
        "customer": someone("bob"),
        "staff": someone("sam", is_staff=True),
        "visitor": nobody(),
    }


Posted = Callable[[Action, Writer], StoredComment]


@pytest.fixture(scope="module")
def posted_for(people):
    """Post a comment by the author, with what has to be there for somebody's action on it."""

    def post(action: Action, who: Writer) -> StoredComment:
        posted = people["author"].has_written(made_product())
        action.given(who, posted)
        return posted

    return post


@pytest.fixture(scope="module")
def untouched(posted_for):
    """The same, but one comment for all actions that should change nothing of it."""
    found: dict[object, StoredComment] = {}

    def ready(action: Action, who: Writer) -> StoredComment:
        key = action.given, who.username
        found[key] = found[key] if key in found else posted_for(action, who)
        return found[key]

    return ready


@pytest.fixture(scope="module")
def posted(people):
    """A comment of the author's, to be looked at."""
    return people["author"].has_written(made_product())


def filled(action: Action, who: Writer, posted: StoredComment) -> dict[str, str]:
    """The fields, with what only the page or the table can tell."""
    fields = dict(action.fields)
    if "seen" in fields:
        fields["seen"] = str(Revision.of(load_comment(posted.comment.id).item))
    if fields.get("form_id") == "own" and who.username:
        fields["form_id"] = who.open_form(posted.comment.product_id)["form_id"]
    if fields.get("form_id") == "another's":
        fields["form_id"] = someone("eve").open_form(posted.comment.product_id)["form_id"]
    return fields


def everything_of(posted: StoredComment) -> object:
    """All that the table knows of a comment and the counts of its product."""
    comment = posted.comment
    answer = client().query(
        TableName=Comment.Meta.table_name,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": keys.comment(comment.id)}},
        ConsistentRead=True,
    )
    for item in answer["Items"]:
        item.pop(Comment.rank_version.attr_name, None)  # how often it was looked at
    return (
        {item["sk"]["S"]: item for item in answer["Items"]},
        helpful_votes(comment.id),
        counts_of(comment.product_id, consistent=True).cells,
    )


class TestRoles:
    @pytest.mark.parametrize("name", ACTIONS)
    def test_decide_what_a_form_does(self, people, posted_for, untouched, name):
        action = ACTIONS[name]
        for role, answer in zip(ROLES, action.answers, strict=True):
            who, changes = people[role], role in action.changes.split()
            posted = (posted_for if changes else untouched)(action, who)
            fields, before = filled(action, who, posted), everything_of(posted)
            response = who.send(action.url(posted), fields)
            to_sign_in = response.get("Location", "").startswith("/accounts/login/")
            assert (SIGN_IN if to_sign_in else response.status_code) == answer, role
            assert (everything_of(posted) != before) == changes, role

    def test_have_a_cell_for_every_address_that_takes_forms(self):
        names = {action.url_name for action in ACTIONS.values()}
        assert {name for name in url_names() if takes_forms(name)} == names

    def test_decide_what_is_offered(self, people, posted):
        for role in ROLES:
            page = people[role].get(f"/comments/{posted.comment.id}/").page
            assert bool(page.all("a", href=edit_url(posted.comment))) is (role == "author")
            deletable = bool(page.all("a", href=delete_url(posted.comment)))
            assert deletable is (role in {"author", "staff"})
            assert bool(page.all(class_="staff-tools")) is (role == "staff")
            assert bool(page.all(class_="helpful")) is (role != "author")


class TestForgery:
    @pytest.mark.parametrize("name", ACTIONS)
    def test_from_another_site_or_by_a_link_changes_nothing(self, people, untouched, name):
        action = ACTIONS[name]
        sender = people["author" if name in {"post", "edit", "delete"} else "staff"]
        posted = untouched(action, sender)
        fields, before = filled(action, sender, posted), everything_of(posted)
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(find_user(sender.username))
        assert browser.post(action.url(posted), fields).status_code == 403
        sender.browser.get(action.url(posted), fields)
        assert everything_of(posted) == before

    def test_is_no_error_for_a_page_of_ours_that_asks_for_a_language(self):
        browser = Client(enforce_csrf_checks=True, headers={"Origin": "http://testserver"})
        assert browser.post("/languages/detect/", WORDS).status_code == 204

    def test_of_an_author_by_an_imports_name_gives_no_rights(self, people, posted):
        bob = people["customer"]
        form = {
            **bob.open_form(posted.comment.product_id),
            **WORDS,
            "author": people["author"].username,
        }
        bob.send(new_url(posted.comment.product_id), form)
        assert load_comment(posted.comment.id).comment == posted.comment
        assert bob.get(f"/users/{bob.username}/").comment_ids


def url_names() -> set[str]:
    """The names of all addresses that views of this app answer."""
    return {name for each in patterns(get_resolver()) if (name := each.name) and is_ours(each)}


def patterns(resolver: URLResolver) -> list[URLPattern]:
    found: list[URLPattern] = []
    for each in resolver.url_patterns:
        found += patterns(each) if isinstance(each, URLResolver) else [each]
    return found


def is_ours(pattern: URLPattern) -> bool:
    return pattern.lookup_str.startswith("comments.")


def takes_forms(name: str) -> bool:
    """Whether an address answers a visitor's POST with anything but 405."""
    (pattern, *_) = [p for p in patterns(get_resolver()) if p.name == name]
    arguments = {key: "en" if key == "languages" else "1" for key in pattern.pattern.converters}
    return Client().post(reverse(name, kwargs=arguments)).status_code != 405
