"""Tags: the HTML of comments in a list; the base that pages extend.

Three are for the project's own pages: `average_of`, `comments_of` and `topics_of` a product.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from django import template
from django.contrib.auth.base_user import AbstractBaseUser
from django.template import Template
from django.template.base import Parser, Token
from django.template.context import Context
from django.template.loader_tags import ExtendsNode
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from comments.filters import CommentFilter
from comments.host import COMMENTS, Product
from comments.lists.entries import CommentEntry
from comments.lists.listing import list_url
from comments.lists.queries import find_newest
from comments.lists.topics import find_topics, shown_topics
from comments.search.words import Search, marked
from comments.store.counts import ProductCounts, read_counts
from comments.topics.records import NO_TOPICS
from comments.users import profile_url, user_id_of
from dynapages.calls import fault_in, labelled_calls
from dynapages.django.jinja import jinja_macro
from dynapages.django.next_page import with_next
from dynapages.django.paging import anchors_behind
from dynapages.pynamodb import FAILURES

logger = logging.getLogger(__name__)
T = TypeVar("T")

COMMENT_TEMPLATE = "comments/lists/_comment.jinja"

register = template.Library()


class _ExtendsBase(ExtendsNode):
    must_be_first = False  # the library is loaded before it

    def get_parent(self, context: Context) -> Template:
        return self.find_template(COMMENTS["BASE_TEMPLATE"], context)


@register.tag
def extends_base(parser: Parser, token: Token) -> _ExtendsBase:
    """Extend the template that the project names in ``COMMENTS["BASE_TEMPLATE"]``."""
    del token
    return _ExtendsBase(parser.parse(), parser.compile_filter("''"))


@register.simple_tag
def profile_url_of(user: AbstractBaseUser) -> str:
    """Return the address of the comments of a user, for the project's own pages."""
    return profile_url(user_id_of(user))


@dataclass(frozen=True, slots=True)
class Reader:
    """What the reader of a comment may do with it, and where that leads back to.

    ``page_query`` is a query such as ``?next=%2Fproducts%2F…``: after the comment is deleted, it
    leads back to the page. It is empty for those who may not delete it. ``list_query`` leads back
    to the comment on the page, and ``next_query`` to the one behind it; both are empty for all but
    staff.
    """

    is_user: bool
    is_own: bool
    can_vote: bool
    has_voted: bool
    page_query: str = ""
    list_query: str = ""
    next_query: str = ""


VISITOR = Reader(is_user=False, is_own=False, can_vote=False, has_voted=False)
VISITOR_WHO_MAY_VOTE = replace(VISITOR, can_vote=True)


@register.simple_tag(takes_context=True)
def comments_html(context: Context, comments: Sequence[CommentEntry]) -> SafeString:
    """Render the comments of a list of their product for the user of the page."""
    search_shown = context.get("search")
    search = search_shown["request"].search if search_shown else None
    render = jinja_macro(COMMENT_TEMPLATE, "comment_card")
    reader_of = _readers(context, comments)
    rows: list[str] = []
    for comment in comments:
        title, text = _marked(comment, search)
        rows.append(render(comment, reader_of(comment), title, text))
    return SafeString("".join(rows))


@register.simple_tag(takes_context=True)
def comment_html(
    context: Context,
    comment: CommentEntry,
    *,
    about: Product | None = None,
    level: int = 3,
) -> SafeString:
    """Render a comment of a list for the user of the page.

    ``about`` is its product, where that is shown, ``level`` (2 to 6) that of its heading.
    """
    reader = _readers(context, [comment])(comment)
    render = jinja_macro(COMMENT_TEMPLATE, "comment_card")
    html: str = render(comment, reader, comment.title, comment.text, about=about, level=level)
    return SafeString(html)


def _marked(comment: CommentEntry, search: Search | None) -> tuple[str, str]:
    """Return the title and the text of a comment, with the words of a search marked."""
    if search is None:
        return comment.title, comment.text
    stems = search.stems(comment.language)
    title = marked(comment.title, stems, comment.language)
    return title, marked(comment.text, stems, comment.language)


def _readers(
    context: Context, comments: Sequence[CommentEntry]
) -> Callable[[CommentEntry], Reader]:
    """Return a function of a comment on a page that returns what the page's user may do with it."""
    user, voted = context["user"], context.get("voted")
    if not user.is_authenticated:
        return _visitor_who_may_vote if voted is not None else _visitor
    is_staff, user_id = user.is_staff, user_id_of(user)
    # The page's address is quoted once: it takes longer than the rest of a card.
    page_query = with_next("", context["request"].get_full_path())
    list_queries: dict[str, str] = {}
    next_queries: dict[str, str] = {}
    if is_staff:
        anchors = [comment.anchor for comment in comments]
        for anchor, next_anchor in zip(anchors, anchors_behind(anchors), strict=True):
            list_queries[anchor] = f"{page_query}%23{anchor}"
            next_queries[anchor] = f"{page_query}%23{next_anchor}"

    def reader_of(comment: CommentEntry) -> Reader:
        is_own = comment.user_id == user_id
        list_query = next_query = ""
        if is_staff and not comment.is_hidden:
            anchor = comment.anchor
            list_query = list_queries[anchor]
            next_query = next_queries[anchor]
        return Reader(
            is_user=True,
            is_own=is_own,
            can_vote=voted is not None and not comment.is_hidden and not is_own,
            has_voted=comment.id in (voted or ()),
            page_query=page_query if is_own or is_staff else "",
            list_query=list_query,
            next_query=next_query,
        )

    return reader_of


def _visitor(_comment: CommentEntry) -> Reader:
    return VISITOR


def _visitor_who_may_vote(comment: CommentEntry) -> Reader:
    """Return what somebody who is not signed in may do where there are votes: sign in for one."""
    if comment.is_hidden:
        return VISITOR
    return VISITOR_WHO_MAY_VOTE


@register.inclusion_tag("comments/average_of.html")
def average_of(product_id: object) -> dict[str, Any]:
    """Show a product's average rating, with a link to its comments; nothing without any.

    One call for half a capacity unit, more where many write at once. While the database is away,
    nothing is shown either.
    """
    name = str(product_id)

    def read() -> ProductCounts:
        with labelled_calls("counts"):
            return read_counts(name)

    counts = _unless_away(read, ProductCounts({}))
    return {
        "average": counts.average_rating,
        "total": counts.total,
        "all_url": list_url(name, CommentFilter()),
    }


@register.inclusion_tag("comments/comments_of.html")
def comments_of(product_id: object, *, size: int = 5) -> dict[str, Any]:
    """Show a product's newest comments, with links to all of them and to write one.

    One call, for half a capacity unit as a rule: for each 4 KB of what is shown. While the database
    is away, the links alone are shown.
    """
    name = str(product_id)
    no_comments: tuple[CommentEntry, ...] = ()
    return {
        "comments": _unless_away(partial(find_newest, name, size=size), no_comments),
        "product": {"id": name},
        "all_url": list_url(name, CommentFilter()),
    }


@register.inclusion_tag("comments/topics_of.html")
def topics_of(product_id: object) -> dict[str, Any]:
    """Show what buyers say about a product: words, each with a link to the comments that have it.

    Those in the language of the page are in front. One call for half a capacity unit; none where
    the project has no topics. Nothing is shown without any, nor while the database is away.
    """
    name = str(product_id)
    topics = _unless_away(partial(find_topics, name), NO_TOPICS)
    language = (get_language() or "").split("-")[0]
    return {"topics": shown_topics(name, topics, languages=[language]), "product_id": name}


def _unless_away(read: Callable[[], T], nothing: T) -> T:
    """Return what is read; ``nothing`` while the database is away, as the page is the project's."""
    try:
        return read()
    except FAILURES as error:
        # The page is the project's: it must not fail for its comments.
        fault = fault_in(error)
        if fault is None:
            raise
        logger.warning("Comments are not shown: %s", fault)
        return nothing
