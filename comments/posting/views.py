"""Pages on which users write, change and delete comments of their own; staff delete any."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from urllib.parse import unquote, urlsplit

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import reswap, retarget

from comments.filters import all_languages, language_name, preferred_language
from comments.host import Product, find_product, has_bought, product_reader
from comments.items import NewComment
from comments.lists.recent import recently_written, remember_written
from comments.posting.forms import (
    BadForm,
    CommentForm,
    EditForm,
    NewCommentForm,
    comment_id_in,
    new_form_id,
)
from comments.posting.services import (
    CommentGone,
    Conflict,
    Draft,
    Rejected,
    Writer,
    change_own,
    delete_comment,
    is_author,
    is_buyer,
    load_own,
    post_comment,
    read_own,
    read_writer,
)
from comments.profiles.queries import find_written_about
from comments.requests import links
from comments.requests.services import note_opened, note_reviewed
from comments.store.comments import NoSuchComment, StoredComment, load_comment
from comments.users import author_name, display_name_of, user_id_of, visitor_of
from comments.web.forms import (
    NO_SUCH_COMMENT,
    FormNotSaved,
    FormPage,
    as_form_errors,
    forged,
    form_page,
    missing_as_404,
    redisplay_on_csrf_failure,
    require_user,
)
from comments.web.rate_limits import check_rate_limit, write_counted_meanwhile
from dynapages.calls import clock, labelled_calls
from dynapages.django.access import Visitor, prefetch, signed_in
from dynapages.django.jinja import jinja_macro
from dynapages.django.next_page import back, path_of_next
from dynapages.django.paging import anchor_of, redirect_page, wants_partial
from dynapages.process import pool
from dynapages.work import worker

WRITE_FORM = FormPage(
    "comments/posting/write.html", "comments/posting/_write_form.html", "#comment-form"
)
WRITTEN_BEFORE = FormPage(WRITE_FORM.whole, "comments/posting/_written_before.html")
"""In the form's place, for who has commented on the product before."""
ANOTHER = "another"
"""The parameter of a form that is to be shown all the same."""
NOBODY = Writer("", is_blocked=False, has_bought=False)
DELETED = gettext_lazy("The comment is deleted.")
POSTED = gettext_noop("Thank you! Your comment is posted.")
CHANGED = gettext_noop("Your comment is changed.")
WAITS = gettext_noop("Thank you! Your comment is published once the shop has looked at it.")


def _forged_post(request: HttpRequest, product_id: str) -> HttpResponse:
    form = NewCommentForm(request.POST, fallback=_language_of(request))
    context = {"page": _page_of_new(product_id)}
    return WRITE_FORM.show_again(request, form, context, refusal=forged())


@form_page(_forged_post)
def new(request: HttpRequest, product_id: str) -> HttpResponse:
    """Write a comment about a product."""
    if request.method == "POST":
        return _post(request, product_id)
    return _show_new(request, product_id)


def _forged_edit(request: HttpRequest, comment_id: str) -> HttpResponse:
    return _refuse_edit(request, comment_id, forged())


@form_page(_forged_edit)
def edit(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Change a comment of one's own."""
    if request.method == "POST":
        return _save_edit(request, comment_id)
    return _show_edit(request, comment_id)


def _read_deletable(
    _request: HttpRequest, _visitor: Visitor, comment_id: str
) -> StoredComment | None:
    """Read the comment, None when it is deleted."""
    try:
        with labelled_calls("comment"):
            return load_comment(comment_id)
    except NoSuchComment:
        return None


@require_http_methods(["GET", "HEAD", "POST"])
@prefetch(_read_deletable)
def delete(request: HttpRequest, stored: StoredComment | None, comment_id: str) -> HttpResponse:
    """Delete a comment of one's own, or, as staff, any; a GET asks for confirmation."""
    is_own = stored is None or is_author(user_id_of(request.user), stored)
    if not (is_own or request.user.is_staff):
        raise Http404(NO_SUCH_COMMENT)
    if request.method != "POST":
        if stored is None:
            raise Http404(NO_SUCH_COMMENT)
        context = {
            "comment": stored.comment,
            "author": author_name(stored.comment),
            "back_url": path_of_next(
                request, default=reverse("comments:comment", args=[comment_id])
            ),
        }
        return render(request, "comments/posting/delete.html", context)
    now = clock.now()
    # What is gone already is deleted again at the cost of who asks.
    check_rate_limit(request, is_staff=not is_own)
    remember_written(request.session, comment_id, now=now)
    delete_comment(comment_id, by=user_id_of(request.user), now=now, stored=stored)
    messages.success(request, DELETED)
    default = "/"
    if stored is not None and stored.comment.product_id:
        default = reverse("comments:product", args=[stored.comment.product_id])
    return back(request, default=default)


def _not_detected(_request: HttpRequest) -> HttpResponse:
    """Answer 204: errors are shown on submit."""
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@redisplay_on_csrf_failure(_not_detected)
@never_cache
@require_POST
def detect(request: HttpRequest) -> HttpResponse:
    """Answer which language a text seems to be in, as the label of the choice to detect it.

    Answers 204 without a signed-in user or a database.
    """
    try:
        with as_form_errors():
            require_user(request)
    except FormNotSaved:
        return _not_detected(request)
    form = CommentForm(request.POST, fallback=_language_of(request))
    return HttpResponse(escape(form.detect_label), content_type="text/plain; charset=utf-8")


@signed_in
def _show_new(request: HttpRequest, product_id: str) -> HttpResponse:
    """Show the form of a new comment, or the one that the visitor has written before."""
    user_id = user_id_of(request.user)
    token = request.GET.get(links.REQUEST, "")
    initial = {
        "form_id": _form_id(request, product_id),
        "rating": links.rating_in(request.GET.get(links.RATING, "")),
        "request": token,
    }
    form = NewCommentForm(initial=initial, fallback=_language_of(request))
    buyer_id = user_id if request.GET.get(links.BOUGHT) == links.YES else ""
    read_along = partial(_read_product, product_id, buyer_id=buyer_id)
    earlier = None
    if ANOTHER in request.GET:
        product, is_bought = read_along()
    else:
        (product, is_bought), earlier = find_written_about(
            product_id,
            read_along,
            user_id=user_id,
            recent=recently_written(request.session, now=clock.now()),
        )
    _note_later(note_opened, token, user_id=user_id)
    context = {
        "page": _page_of_new(product_id, product, is_bought=is_bought),
        "earlier": earlier,
    }
    page = WRITTEN_BEFORE if earlier else WRITE_FORM
    return page.show(request, form, context)


def _read_product(product_id: str, *, buyer_id: str) -> tuple[Product, bool]:
    """Read a product, and whether a user has bought it, in one round. Raises Http404.

    Where ``buyer_id`` is empty, nobody has, and no more than the product is read.
    """
    if not buyer_id:
        return _product_or_404(product_id), False
    with pool().together() as together, missing_as_404():
        read_product = product_reader(together, product_id)
        # What a project answers is asked in the request's own thread.
        is_bought = has_bought(buyer_id, product_id)
        return read_product(), is_bought


def _note_later(note: Callable[..., None], token: str, *, user_id: str) -> None:
    """Have noted, behind the answer, what a user did by the link of a request for reviews."""
    if not token:
        return
    purchase_id = links.purchase_in(token, user_id=user_id)
    if purchase_id:
        worker().later(0, partial(note, user_id, purchase_id, now=clock.now()))


def _post(request: HttpRequest, product_id: str) -> HttpResponse:
    """Post a comment and lead to it, or show the form again with what is wrong."""
    product = None
    form = NewCommentForm(request.POST, fallback=_language_of(request))
    try:
        with _conflicts_as_form_errors():
            product, writer = _read_before_post(request, product_id, form)
            comment_id, is_held = _write_new(request, product, writer, form)
    except BadForm as error:
        form = _with_new_form_id(request, product_id)
        again = _("Here is a new one with all that you typed: send it once more.")
        sentence = f"{error} {again}"
        refusal = FormNotSaved(HTTPStatus.UNPROCESSABLE_ENTITY, sentence)
    except FormNotSaved as error:
        if error.stored is not None:  # from now on it is an edit of what was posted
            return _refuse_edit(request, error.stored.comment.id, error)
        refusal = error
    else:
        token = form.cleaned_data["request"]
        _note_later(note_reviewed, token, user_id=user_id_of(request.user))
        messages.success(request, _(WAITS if is_held else POSTED))
        return _show_posted(request, product_id, comment_id, is_held=is_held)
    context = {"page": _page_of_new(product_id, product)}
    return WRITE_FORM.show_again(request, form, context, refusal=refusal)


def _with_new_form_id(request: HttpRequest, product_id: str) -> NewCommentForm:
    data = request.POST.copy()
    data["form_id"] = _form_id(request, product_id)
    return NewCommentForm(data, fallback=_language_of(request))


def _show_posted(
    request: HttpRequest, product_id: str, comment_id: str, *, is_held: bool
) -> HttpResponse:
    """Lead to the comment: in its list, or its page while it is held.

    On the product's own page, have htmx read that anew.
    """
    if is_held:
        return redirect_page(request, reverse("comments:comment", args=[comment_id]))
    product_url = reverse("comments:product", args=[product_id])
    url = f"{product_url}#{anchor_of('comment', comment_id)}"
    current_path = urlsplit(request.headers.get("HX-Current-URL", "")).path
    is_on_product_page = unquote(current_path) == unquote(product_url)
    if not wants_partial(request) or not is_on_product_page:
        return redirect_page(request, url)
    write_link = jinja_macro("comments/posting/_write_link.jinja", "write_link")
    response = HttpResponse(write_link(product_id, posted_url=url))
    return reswap(retarget(response, "#write-comment"), "outerHTML")


def _read_before_post(
    request: HttpRequest, product_id: str, form: NewCommentForm
) -> tuple[Product, Writer]:
    """Read the product and the user, and what is known of them, in one round. Raises Http404."""
    visitor, writer = visitor_of(request), NOBODY
    with pool().together() as together, missing_as_404():
        confirmation = together.start(visitor.is_confirmed)
        read_product = product_reader(together, product_id)
        # Of a form that is shown again no more is read.
        if form.is_valid() and visitor.user_id:
            writer = read_writer(visitor.user_id, product_id)
        product = read_product()
        confirmation.result()
    return product, writer


def _write_new(
    request: HttpRequest, product: Product, writer: Writer, form: NewCommentForm
) -> tuple[str, bool]:
    """Post a comment; return its id, and whether it waits for the shop."""
    require_user(request)
    if not form.is_valid():
        raise FormNotSaved(HTTPStatus.UNPROCESSABLE_ENTITY)
    now = clock.now()
    # A form of another user or product is refused before anything is counted.
    form_id = form.cleaned_data["form_id"]
    comment_id = comment_id_in(form_id, user_id=writer.user_id, product_id=product.id)
    check_rate_limit(request)
    # Before the write: its answer may get lost, and the page after it must show the comment.
    remember_written(request.session, comment_id, now=now)
    is_held = post_comment(
        form.draft,
        writer=writer,
        comment_id=comment_id,
        product_id=product.id,
        author=display_name_of(request.user),
        now=now,
    )
    return comment_id, is_held


def _form_id(request: HttpRequest, product_id: str) -> str:
    user_id = user_id_of(request.user)
    return new_form_id(user_id=user_id, product_id=product_id, now=clock.now())


@signed_in
def _show_edit(request: HttpRequest, comment_id: str) -> HttpResponse:
    with missing_as_404():
        stored = load_own(comment_id, user_id=user_id_of(request.user))
        product = find_product(stored.comment.product_id)
    context = {"page": _page_of_edit(comment_id, product=product)}
    return WRITE_FORM.show(request, EditForm.of(stored), context)


def _save_edit(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Save an edit and lead to the comment, or show the form again with what is wrong."""
    form = EditForm(request.POST, fallback=_language_of(request))
    try:
        with _conflicts_as_form_errors():
            is_held = _write_edit(request, comment_id, form)
    except FormNotSaved as refusal:
        return _refuse_edit(request, comment_id, refusal)
    messages.success(request, _(WAITS if is_held else CHANGED))
    return redirect_page(request, reverse("comments:comment", args=[comment_id]))


def _write_edit(request: HttpRequest, comment_id: str, form: EditForm) -> bool:
    """Change a comment; return whether it waits for the shop."""
    visitor = visitor_of(request)
    with pool().together() as together:
        confirmation = together.start(visitor.is_confirmed)
        # Of a form that is shown again nothing is read.
        reading = None
        if form.is_valid() and visitor.user_id:
            reading = together.start(read_own, comment_id, user_id=visitor.user_id)
        confirmation.result()
        user_id = require_user(request)
        if reading is None:
            raise FormNotSaved(HTTPStatus.UNPROCESSABLE_ENTITY)
        with write_counted_meanwhile(request, user_id):
            own = reading.result()
            is_verified = is_buyer(own)
    now = clock.now()
    remember_written(request.session, comment_id, now=now)

    def replaced(_before: Draft) -> Draft:
        return form.draft

    version = form.cleaned_data["version"]
    return change_own(replaced, own, is_verified=is_verified, version=version, now=now)


def _refuse_edit(request: HttpRequest, comment_id: str, refusal: FormNotSaved) -> HttpResponse:
    """Show what was typed as an edit of the comment as it is now."""
    # What the visitor typed stays in the form, whatever else has changed.
    data = request.POST.copy()
    theirs = None
    if refusal.stored:
        theirs = refusal.stored.comment
        data["version"] = str(refusal.stored.version)
    form = EditForm(data, fallback=_language_of(request))
    context = {"page": _page_of_edit(comment_id, theirs=theirs)}
    return WRITE_FORM.show_again(request, form, context, refusal=refusal)


@contextmanager
def _conflicts_as_form_errors() -> Iterator[None]:
    """Turn a comment that was changed, deleted or rejected into FormNotSaved, like other errors."""
    with as_form_errors():
        try:
            yield
        except Conflict as error:
            yours = _("Yours is below: compare the two, and send yours again to replace the other.")
            sentence = f"{error} {yours}"
            raise FormNotSaved(HTTPStatus.CONFLICT, sentence, stored=error.stored) from error
        except CommentGone as error:
            raise FormNotSaved(HTTPStatus.NOT_FOUND, str(NO_SUCH_COMMENT)) from error
        except Rejected as error:
            raise FormNotSaved(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from error


def _page_of_new(
    product_id: str, product: Product | None = None, *, is_bought: bool = False
) -> dict[str, object]:
    """Return what is around the form of a new comment; without ``product`` it has no name.

    Where it ``is_bought`` the form says that the comment will be marked so.
    """
    heading = _("Your comment")
    if product is not None:
        heading = _("Your comment on %(name)s") % {"name": product.name}
    return {
        "heading": heading,
        "submit": _("Post"),
        "submit_url": reverse("comments:new_comment", args=[product_id]),
        "back_url": reverse("comments:product", args=[product_id]),
        "product": product,
        "is_bought": is_bought,
    }


def _page_of_edit(
    comment_id: str, *, product: Product | None = None, theirs: NewComment | None = None
) -> dict[str, object]:
    """Return what is around the form of an edit; ``theirs`` is what somebody else has saved."""
    return {
        "heading": _("Your comment"),
        "submit": _("Save"),
        "submit_url": reverse("comments:edit_comment", args=[comment_id]),
        "back_url": reverse("comments:comment", args=[comment_id]),
        "product": product,
        "theirs": theirs,
        "their_language": language_name(theirs.language) if theirs else "",
    }


def _product_or_404(product_id: str) -> Product:
    with missing_as_404():
        return find_product(product_id)


def _language_of(request: HttpRequest) -> str:
    """Return the visitor's first language, the fallback for texts."""
    accepted = request.headers.get("Accept-Language", "")
    return preferred_language(accepted, among=dict(all_languages())) or ""
