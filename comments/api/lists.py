"""Lists of comments, of their topics, and of products by their comments."""

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from ninja import Query

from comments.api.routing import READ, router
from comments.api.shapes import (
    CommentedListing,
    CommentListing,
    CommentOut,
    Filter,
    LovedListing,
    ProductCommentListing,
    ProductId,
    SearchOut,
    TopicsOut,
    Username,
    WordOut,
    comment_out,
    product_link,
    topics_out,
)
from comments.filters import BadFilter, CommentFilter
from comments.host import COMMENTS
from comments.lists.listing import pager_of
from comments.lists.orders import CommentOrder, at_month
from comments.lists.page import CommentsRequest, read_comments_page
from comments.lists.queries import Reach, reached_at
from comments.lists.search_listing import NOT_SEARCHED, words_left_out
from comments.lists.search_queries import SearchRequest
from comments.lists.topics import read_groups
from comments.profiles import queries as profiles
from comments.profiles.views import NOBODY, require_user_of
from comments.rankings import queries as rankings
from comments.rankings.services import Ranking
from comments.search.words import BadSearch, Search, parse_search
from comments.users import user_id_in
from dynapages import ninja
from dynapages.django.access import Visitor
from dynapages.django.callers import Scope
from dynapages.django.paging import Pager
from dynapages.django.refusals import Refusal, ScopeNeeded
from dynapages.lists import PageRequest, PageResult
from dynapages.ninja import ListOf, PageOf, caller_of, lists


def _voted_by(visitor: Visitor, voted: frozenset[str]) -> frozenset[str] | None:
    """Return the ids of comments that a visitor has voted for, None for one without a key."""
    if not visitor.user_id:
        return None
    return voted


@router.get("/products/{product_id}/comments", response=ProductCommentListing, auth=READ)
@lists
def list_comments(
    request: HttpRequest, product_id: ProductId, chosen: Query[Filter]
) -> ListOf[CommentOut]:
    """List a product's comments in any set of languages and ratings, in any order, by any words."""
    search = _search(request, chosen)
    # Postings are in the order of time.
    if search and not chosen.order.is_by_time:
        raise Refusal(_("A search is sorted by time: newest or oldest first."))
    narrowed = CommentFilter.of(chosen.language, chosen.rating)
    visitor = ninja.visitor_of(request)

    def read(page_request: PageRequest) -> PageOf[CommentOut]:
        if chosen.month is not None:
            page_request = _at_month(page_request, chosen.month, chosen.order)
        page = read_comments_page(
            CommentsRequest(
                narrowed,
                page_request,
                product_id=product_id,
                order=chosen.order,
                is_whole=False,
                visitor=visitor,
                search=search,
            )
        )
        results = page.results
        voted = _voted_by(visitor, page.voted)
        shown = []
        for comment in page.comments:
            shown.append(comment_out(request, comment, voted, product_id=product_id))
        search_out = None
        if search:
            search_out = _search_out(search.search, results.reach)
        return PageOf(
            tuple(shown),
            results.page,
            page.total,
            results.plan.name,
            more={"reached": reached_at(results.page), "search": search_out},
        )

    pager = pager_of(product_id, narrowed, chosen.order, search)
    return ListOf(pager, read, first_page_only=("month",))


def _at_month(page_request: PageRequest, month: str, order: CommentOrder) -> PageRequest:
    """Return the first page of a list as one that begins at a month. Raises Refusal."""
    try:
        return at_month(page_request, month, order)
    except BadFilter as error:
        raise Refusal(str(error)) from error


def _search(request: HttpRequest, chosen: Filter) -> SearchRequest | None:
    """Return the search of a filter, None without a word.

    Raises Refusal, and ScopeNeeded for hidden comments.
    """
    if chosen.hidden and not caller_of(request).allows(Scope.STAFF):
        raise ScopeNeeded(_("Only staff can search hidden comments."))
    if not (chosen.q and chosen.q.strip()):
        if chosen.hidden:
            raise Refusal(_("“hidden” is about a search: send “q” with it."))
        return None
    if not COMMENTS["SEARCH"]:
        raise Refusal(_("This shop does not search comments: leave “q” out."))
    try:
        return SearchRequest(parse_search(chosen.q), chosen.hidden)
    except BadSearch as error:
        raise Refusal(str(error)) from error


def _search_out(search: Search, reach: Reach | None) -> SearchOut:
    reach = reach or NOT_SEARCHED
    left_out = words_left_out(search, [*reach.languages, *reach.later])
    return SearchOut(
        words=list(search.words),
        languages=list(reach.languages),
        languages_to_come=list(reach.later),
        languages_left_out=list(reach.common),
        words_left_out=[WordOut(word=word, language=language) for word, language in left_out],
        ignored=[*search.ignored, *search.alone],
    )


@router.get("/products/{product_id}/comments/most-helpful", response=CommentListing, auth=READ)
@lists
def most_helpful(request: HttpRequest, product_id: ProductId) -> ListOf[CommentOut]:
    """List a product's comments by helpful votes; those without any are left out."""
    visitor = ninja.visitor_of(request)

    def read(page_request: PageRequest) -> PageResult[CommentOut]:
        result = rankings.read_most_helpful(product_id, page_request, visitor=visitor)
        voted = _voted_by(visitor, result.voted)
        shown = []
        for comment in result.comments.items:
            shown.append(comment_out(request, comment, voted, product_id=product_id))
        return PageResult(tuple(shown), result.comments.page)

    return ListOf(Pager("", f"helpful/{product_id}"), read, rankings.PLAN)


@router.get("/products/{product_id}/topics", response=TopicsOut, auth=READ)
def list_topics(request: HttpRequest, product_id: ProductId) -> TopicsOut:
    """Return what buyers say about a product: words, and how many comments have each."""
    return topics_out(request, product_id, read_groups(product_id))


@router.get("/users/{username}/comments", response=CommentListing, auth=READ)
@lists
def written_by(request: HttpRequest, username: Username) -> ListOf[CommentOut]:
    """List a user's comments, newest first; hidden ones to the user and to staff alone."""
    caller = caller_of(request)
    user_id = user_id_in(username)
    if not user_id:
        raise Http404(NOBODY)
    sees_hidden = caller.user_id == user_id or caller.allows(Scope.STAFF)

    def read(page_request: PageRequest) -> PageResult[CommentOut]:
        # Hidden ones are read, too: a page of others may be short.
        written = profiles.list_written_by(user_id, page_request)
        require_user_of(written, page_request, user_id)
        comments = [each for each in written.items if sees_hidden or not each.is_hidden]
        shown = []
        for comment, product in profiles.with_products(comments):
            link = product_link(request, product)
            shown.append(comment_out(request, comment, product=link))
        return PageResult(tuple(shown), written.page)

    return ListOf(Pager("", f"profile/{user_id}"), read, profiles.PLAN)


@router.get("/rankings/most-loved", response=LovedListing, auth=READ)
@lists
def most_loved(request: HttpRequest) -> ListOf[rankings.RankedProduct]:
    """List products by the number of their 5-star comments."""
    return _ranking(Ranking.FIVE_STARS)


@router.get("/rankings/recently-commented", response=CommentedListing, auth=READ)
@lists
def recently_commented(request: HttpRequest) -> ListOf[rankings.RankedProduct]:
    """List products by the time of their last comment."""
    return _ranking(Ranking.COMMENTED)


def _ranking(ranking: Ranking) -> ListOf[rankings.RankedProduct]:
    def read(page_request: PageRequest) -> PageResult[rankings.RankedProduct]:
        return rankings.list_ranking(ranking, page_request)

    return ListOf(Pager("", f"ranking/{ranking}"), read, rankings.PLAN)
