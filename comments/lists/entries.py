"""Comments as lists show them, parsed from items of the table, of its indexes, and of postings.

`entry_of` parses an item into a `CommentEntry`. A `WholeComment` is one with its whole text.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from django.urls import reverse

from comments.filters import RATINGS, language_name
from comments.keys import score_at
from comments.models import KNOW_VOTES, TABLE, Comment
from comments.replies.services import Reply, reply_in
from comments.store.states import hold_reason, product_id_of
from comments.users import author_name, profile_url, slug_of
from dynapages.django.paging import address_of_item, anchor_of
from dynapages.items import Item
from dynapages.lists import Entry, id_at, moment_at, parse_timestamp, timestamp

# Attributes of models take a while to look up, for every comment of a page.
_PLACE = Comment.place.attr_name
_LANGUAGE = Comment.language.attr_name
_RATING = Comment.rating.attr_name
_USER_ID = Comment.user_id.attr_name
_AUTHOR = Comment.author.attr_name
_TITLE = Comment.title.attr_name
_TEXT = Comment.text.attr_name
_EDITED_AT = Comment.edited_at.attr_name
_VERIFIED = Comment.verified.attr_name
_HIDDEN = Comment.hidden_product.attr_name
_BODY_BYTES = Comment.body_bytes.attr_name
_REPLY = Comment.reply.attr_name

_RANK_PLACE = Comment.rank_place.attr_name
_HELPFUL_VOTES = Comment.helpful_votes.attr_name

_NO_TEXT = {"S": ""}
_NONE = {"N": "0"}
_TRUE = {"BOOL": True}
_PAGE = "comments:comment"


def comment_url(comment_id: str) -> str:
    """Return the address of a comment's page, as `reverse` does, but sooner for most."""
    # One with a slash may read as an action, such as edit/7, and then has another route.
    if "/" in comment_id:
        return reverse(_PAGE, args=[comment_id])
    return address_of_item(_PAGE, comment_id)


@dataclass(frozen=True, slots=True)
class CommentEntry:
    """A comment as lists show it; ``text`` is an excerpt when ``is_long``.

    One that ``is_hidden`` is in no list of its product; ``held_for`` is why it waits for the shop,
    if it does. ``user_id`` is empty for an imported comment, ``product_id`` in the lists of one
    product. Of the shop's ``reply``, lists have what travels with the comment.

    ``helpful_votes`` are those of a comment in lists; None where it is stored without them: hidden,
    in postings of searches, and in ``comment_sets``.
    """

    id: str
    language: str
    rating: int
    created: datetime
    author: str
    title: str
    text: str
    is_long: bool
    user_id: str = ""
    edited_at: str = ""
    is_verified: bool = False
    is_hidden: bool = False
    held_for: str | None = None
    product_id: str = ""
    reply: Reply | None = None
    helpful_votes: int | None = 0

    @property
    def url(self) -> str:
        return comment_url(self.id)

    @property
    def author_name(self) -> str:
        """What pages call its author, in the active language."""
        return author_name(self)

    @property
    def user_slug(self) -> str:
        """What stands for its author in addresses and in the API; empty for an imported one."""
        return slug_of(self.user_id)

    @property
    def profile_url(self) -> str:
        """The page with all comments of its author; empty for an imported one."""
        return profile_url(self.user_id)

    @property
    def anchor(self) -> str:
        """The id of its element on a page."""
        return anchor_of("comment", self.id)

    @property
    def edited(self) -> datetime | None:
        """When it was last edited, None where it never was."""
        if not self.edited_at:
            return None
        return parse_timestamp(self.edited_at)

    @property
    def language_name(self) -> str:
        return language_name(self.language)

    @property
    def created_iso(self) -> str:
        return timestamp(self.created)

    @property
    def stars(self) -> str:
        return "★" * self.rating + "☆" * (RATINGS[-1] - self.rating)


@dataclass(frozen=True, slots=True)
class WholeComment(CommentEntry):
    """One comment with its whole text in ``body``; ``seen`` is its `Revision` for staff.

    ``imported_votes`` are among its helpful votes.
    """

    body: str = ""
    is_pick: bool = False
    imported_votes: int = 0
    seen: str = ""


def comment_at(entry: Entry) -> CommentEntry:
    """Parse a list entry from an entry of a page, of whatever table."""
    comment, index = entry_of(entry.item), entry.run.index
    if index.table == TABLE and index.name in KNOW_VOTES:
        return comment
    # An entry of ``ranked`` has them in its sort key alone.
    votes = None
    if _RANK_PLACE in entry.item:
        votes = score_at(entry.item[_RANK_PLACE]["S"])
    return replace(comment, helpful_votes=votes)


def entry_of(item: Item) -> CommentEntry:
    """Parse a list entry from an item of the table or of any of its indexes.

    It does what PynamoDB's models do, faster: a page has up to a hundred of them.
    """
    place = item[_PLACE]["S"]
    reply = None
    if _REPLY in item:
        reply = reply_in(item[_REPLY]["M"])
    is_hidden = _HIDDEN in item
    helpful_votes = None
    if not is_hidden:
        helpful_votes = int(item.get(_HELPFUL_VOTES, _NONE)["N"])
    return CommentEntry(
        id=id_at(place),
        language=item[_LANGUAGE]["S"],
        rating=int(item[_RATING]["N"]),
        created=moment_at(place),
        author=item.get(_AUTHOR, _NO_TEXT)["S"],
        title=item.get(_TITLE, _NO_TEXT)["S"],
        text=item.get(_TEXT, _NO_TEXT)["S"],
        is_long=_BODY_BYTES in item,
        user_id=item.get(_USER_ID, _NO_TEXT)["S"],
        edited_at=item.get(_EDITED_AT, _NO_TEXT)["S"],
        is_verified=item.get(_VERIFIED) == _TRUE,
        is_hidden=is_hidden,
        held_for=hold_reason(item),
        product_id=product_id_of(item),
        reply=reply,
        helpful_votes=helpful_votes,
    )
