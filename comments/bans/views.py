"""The page of a product's topics for staff, and the decisions that they make there."""

from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from comments.bans.forms import BanForm
from comments.filters import language_name
from comments.host import Product, has_topics, product_reader
from comments.lists.topics import groups_of
from comments.topics.banning import TooManyBanned, allow, ban
from comments.topics.bans import Bans, Word, read_topics_and_bans, stored_word, word_stored
from comments.topics.records import ENOUGH_COMMENTS, TopicsOfProduct
from comments.users import user_id_of
from comments.web.forms import missing_as_404
from comments.web.rate_limits import write_counted_meanwhile
from dynapages.calls import clock, labelled_calls
from dynapages.django.access import staff_only
from dynapages.django.paging import address_of_item
from dynapages.django.refusals import Refusal
from dynapages.process import pool

BAN, ALLOW, OF = "ban", "allow", "of"
"""The names of the buttons, and of the field beside the latter: whose list a word is in."""
PRODUCT, ALL = "product", "all"
"""For what a word is banned: for this product, or for all of them."""
NOT_SAID = gettext_noop("This form does not say which word to ban or to allow, and for what.")


@dataclass(frozen=True, slots=True)
class _Read:
    """What the page is made from."""

    product_id: str
    product: Product
    topics: TopicsOfProduct
    bans: Bans


@dataclass(frozen=True, slots=True)
class _BannedWord:
    """A word that may be allowed again; its ``value`` is what a form says of it."""

    value: str
    language_name: str
    stem: str


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def topics(request: HttpRequest, product_id: str) -> HttpResponse:
    """Show the topics of a product and what is banned, or ban a word, or allow it again."""
    if request.method != "POST":
        return _show(request, _read(product_id), BanForm(initial={"language": get_language()}))
    with write_counted_meanwhile(request, user_id_of(request.user), is_staff=True):
        read = _read(product_id)
    if ALLOW in request.POST:
        _allow(request, product_id)
    else:
        form = BanForm(request.POST)
        is_everywhere = _is_for_all(request.POST.get(BAN, ""))
        if not _ban(request, read, form, everywhere=is_everywhere):
            return _show(request, read, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return redirect(address_of_item("comments:topics", product_id))


def _read(product_id: str) -> _Read:
    """Read a product, its topics and what is banned, in one round. Raises Http404."""
    with pool().together() as together, missing_as_404():
        read_product = product_reader(together, product_id)
        with labelled_calls("topics"):
            stored, bans = read_topics_and_bans(product_id)
        return _Read(product_id, read_product(), stored, bans)


def _show(
    request: HttpRequest, read: _Read, form: BanForm, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    context = {
        "product": read.product,
        "has_topics": has_topics(),
        "enough": ENOUGH_COMMENTS,
        "groups": groups_of(read.product_id, read.topics),
        "of_product": _rows(read.bans.of_product.words),
        "of_all": _rows(read.bans.of_all.words),
        "form": form,
    }
    return render(request, "comments/bans/topics.html", context, status=status)


def _rows(words: Iterable[Word]) -> list[_BannedWord]:
    """Return banned words by their languages, and by themselves."""
    rows: list[_BannedWord] = []
    for word in sorted(words):
        language, stem = word
        rows.append(_BannedWord(stored_word(word), language_name(language), stem))
    return rows


# Decisions


def _is_for_all(said: str) -> bool:
    """Return whether a decision is about all products. Raises Refusal."""
    if said not in {PRODUCT, ALL}:
        raise Refusal(_(NOT_SAID))
    return said == ALL


def _ban(request: HttpRequest, read: _Read, form: BanForm, *, everywhere: bool) -> bool:
    """Ban the word in a form, and say so; return False where the form tells what is wrong."""
    if not form.is_valid():
        return False
    try:
        is_new = ban(
            read.product_id,
            form.banned,
            everywhere=everywhere,
            by=user_id_of(request.user),
            now=clock.now(),
            just_read=(read.topics, read.bans),
        )
    except TooManyBanned as error:
        form.add_error(None, _(str(error)))
        return False
    names = {"word": form.cleaned_data["word"]}
    if not is_new:
        messages.info(request, _("“%(word)s” was banned already.") % names)
    elif everywhere:
        sentence = _(
            "“%(word)s” is banned for all products: it is gone here, and from the others within "
            "some minutes."
        )
        messages.success(request, sentence % names)
    else:
        messages.success(request, _("“%(word)s” is no topic of this product any more.") % names)
    return True


def _allow(request: HttpRequest, product_id: str) -> None:
    """Allow a word again, and say so. Raises Refusal."""
    word = word_stored(request.POST[ALLOW])
    _language, stem = word
    if not stem:
        raise Refusal(_(NOT_SAID))
    is_everywhere = _is_for_all(request.POST.get(OF, ""))
    who, now = user_id_of(request.user), clock.now()
    names = {"word": stem}
    if allow(product_id, word, everywhere=is_everywhere, by=who, now=now):
        sentence = _("“%(word)s” is allowed again: it comes back when topics are made anew.")
        messages.success(request, sentence % names)
    else:
        messages.info(request, _("“%(word)s” was allowed already.") % names)
