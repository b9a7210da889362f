"""The page about a product's reviews."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from comments.about.queries import read_about
from comments.about.wording import (
    are_customers_asked,
    days_until_asked,
    enough_for_topics,
    lists_by_language,
    lists_by_rating,
    rows_of_moderation,
    sentences_of_gates,
)
from comments.host import COMMENTS, NO_SUCH_PRODUCT, NoSuchProduct
from dynapages.calls import clock, current_meter
from dynapages.django.access import public
from dynapages.django.paging import address_of_item, render_page, site_of
from dynapages.lists import explain_reads


@require_safe
@public
def about(request: HttpRequest, product_id: str) -> HttpResponse:
    """Show how the comments on a product come about, and what was held or hidden of all."""
    try:
        read = read_about(product_id, now=clock.now())
    except NoSuchProduct as error:
        raise Http404(NO_SUCH_PRODUCT) from error
    moderation = read.moderation
    since = None
    # Where it was counted before, all of the months that are shown are whole.
    if moderation.since is not None and moderation.since.date() > moderation.first_month:
        since = moderation.since
    context = {
        "canonical_url": f"{site_of(request)}{address_of_item('comments:about', product_id)}",
        "product": read.product,
        "total": read.counts.total,
        "ratings": lists_by_rating(product_id, read.counts),
        "languages": lists_by_language(product_id, read.counts),
        "knows_purchases": bool(COMMENTS["HAS_BOUGHT"]),
        "has_gates": bool(COMMENTS.paths("GATE")),
        "gates": sentences_of_gates(),
        "enough_for_topics": enough_for_topics(),
        "are_customers_asked": are_customers_asked(),
        "days_until_asked": days_until_asked(),
        "first_month": moderation.first_month,
        "counted_since": since,
        "moderated": rows_of_moderation(moderation),
        "explain": _explain_reads,
    }
    return render_page(request, "comments/about/about.html", context)


def _explain_reads() -> object:
    return explain_reads(current_meter())
