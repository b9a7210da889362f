"""Pages on which users write comments: post, edit, delete.

Whatever goes wrong, the form comes back with all that was typed, and says what happened.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from comments.authorship import BadForm, comment_id_of, new_form_id
from comments.forms import CommentForm, EditForm, NewCommentForm
from comments.items import NewComment
from comments.languages import all_languages, preferred_language
from comments.posting import PostedOtherwise, load_own, post_comment, save_edit
from comments.recent import remember_written
from comments.services import CommentGone, EditLost, delete_comment
from comments.stored import NoSuchComment, StoredComment, load_comment
from comments.write_limits import take_write, too_often
from dynamo.failures import FAILURES
from dynamo.faults import fault_in
from dynamo.meter import labelled_calls
from dynamo.web.partials import wants_partial
from dynamo.web.refusals import TooManyRequests
from shop.access import signed_in
from shop.accounts.addresses import client_network
from shop.queries import NoSuchProduct, Product, find_product
from shop.returning import back

NOT_YOURS = "There is no such comment of yours. It may have been deleted."
SIGNED_OUT = "You are not signed in any more. Sign in on another page, then send this once more."
DELETED = "The comment is deleted."


@dataclass(frozen=True, slots=True)
class WritePage:
    """What a form stands on: ``theirs`` is the comment as it is stored, beside what was typed."""

    heading: str
    submit: str
    submit_url: str
    back_url: str
    product: Product | None = None
    theirs: NewComment | None = None


class NotWritten(Exception):
    """Nothing was written, as far as is known; ``stored`` is what stands in the way."""

    def __init__(
        self,
        status: HTTPStatus,
        sentence: str = "",
        *,
        stored: StoredComment | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.stored = stored
        self.retry_after = retry_after


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, product_id: str) -> HttpResponse:
    """Write a comment about a product."""
    return (_post_new if request.method == "POST" else _show_new)(request, product_id)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Change a comment of one's own."""
    return (_post_edit if request.method == "POST" else _show_edit)(request, comment_id)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def delete(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Delete a comment of one's own, or, as staff, any; asks first where there is no script."""
    comment = _deletable(request, comment_id)
    if request.method != "POST":
        if comment is None:
            raise Http404(NOT_YOURS)
        return render(request, "comments/delete.html", {"comment": comment})
    now = timezone.now()
    if wait := _take_write(request, now):
        raise TooManyRequests(too_often(wait), retry_after=wait)
    remember_written(request.session, comment_id, now=now)
    delete_comment(comment_id, now=now)
    messages.success(request, DELETED)
    home = reverse("product", args=[comment.product_id]) if comment else reverse("home")
    return back(request, default=home)


@require_POST
@signed_in
def detect(request: HttpRequest) -> HttpResponse:
    """Say which language a text seems to be in, as the name of the choice to detect it."""
    form = CommentForm(request.POST, fallback=_language_of(request))
    return HttpResponse(escape(form.detect_label))


@signed_in
def _show_new(request: HttpRequest, product_id: str) -> HttpResponse:
    form = NewCommentForm(
        initial={"form_id": _form_id(request, product_id)}, fallback=_language_of(request)
    )
    return _show(request, form, _page_of_new(_product(product_id)))


def _post_new(request: HttpRequest, product_id: str) -> HttpResponse:
    page = _page_of_new(_product(product_id))
    form = NewCommentForm(request.POST, fallback=_language_of(request))
    username = request.user.get_username()
    try:
        _require_valid(request, form)
        form_id = form.cleaned_data["form_id"]
        comment_id = comment_id_of(form_id, username=username, product_id=product_id)
        _write(
            request,
            comment_id,
            lambda now: post_comment(
                form.draft,
                comment_id=comment_id,
                product_id=product_id,
                username=username,
                now=now,
            ),
        )
    except BadForm as error:
        form = _again(request, form_id=_form_id(request, product_id))
        sentence = f"{error} Here is a new one with all that you typed: send it once more."
        return _refuse(request, form, page, NotWritten(HTTPStatus.UNPROCESSABLE_ENTITY, sentence))
    except NotWritten as refusal:
        if refusal.stored is not None:  # from now on it is an edit of what was posted
            return _refuse_edit(request, refusal.stored.comment.id, refusal)
        return _refuse(request, form, page, refusal)
    messages.success(request, "Thank you! Your comment is posted.")
    return _lead_to(request, reverse("product", args=[product_id]))


@signed_in
def _show_edit(request: HttpRequest, comment_id: str) -> HttpResponse:
    try:
        stored = load_own(comment_id, username=request.user.get_username())
    except NoSuchComment as error:
        raise Http404(NOT_YOURS) from error
    product = _product(stored.comment.product_id)
    return _show(request, EditForm.of(stored), _page_of_edit(comment_id, product=product))


def _post_edit(request: HttpRequest, comment_id: str) -> HttpResponse:
    form = EditForm(request.POST, fallback=_language_of(request))
    username = request.user.get_username()
    try:
        _require_valid(request, form)
        _write(
            request,
            comment_id,
            lambda now: save_edit(
                form.draft,
                comment_id=comment_id,
                version=form.cleaned_data["version"],
                username=username,
                now=now,
            ),
        )
    except NotWritten as refusal:
        return _refuse_edit(request, comment_id, refusal)
    messages.success(request, "Your comment is changed.")
    return _lead_to(request, reverse("comment", args=[comment_id]))


def _write(request: HttpRequest, comment_id: str, write: Callable[[datetime], NewComment]) -> None:
    """Write if that is not too often. Raises NotWritten."""
    now = timezone.now()
    try:
        if wait := _take_write(request, now):
            status = HTTPStatus.TOO_MANY_REQUESTS
            raise NotWritten(status, too_often(wait), retry_after=wait)
        remember_written(request.session, comment_id, now=now)
        write(now)
    except (EditLost, PostedOtherwise) as error:
        sentence = f"{error} Yours is below; compare, and send it again if it is to stand."
        raise NotWritten(HTTPStatus.CONFLICT, sentence, stored=error.stored) from error
    except (CommentGone, NoSuchComment) as error:
        raise NotWritten(HTTPStatus.NOT_FOUND, NOT_YOURS) from error
    except FAILURES as error:
        fault = fault_in(error)
        if fault is None:
            raise
        sentence = f"{fault} Send this again in a moment: it will not be there twice."
        status = HTTPStatus.SERVICE_UNAVAILABLE
        raise NotWritten(status, sentence, retry_after=fault.retry_after) from error


def _require_valid(request: HttpRequest, form: CommentForm) -> None:
    """Raise NotWritten unless somebody has sent a form that can be written."""
    if not request.user.is_authenticated:
        raise NotWritten(HTTPStatus.FORBIDDEN, SIGNED_OUT)
    if not form.is_valid():
        raise NotWritten(HTTPStatus.UNPROCESSABLE_ENTITY)


def _refuse_edit(request: HttpRequest, comment_id: str, refusal: NotWritten) -> HttpResponse:
    """Show what was typed as an edit of the comment as it is now."""
    data = request.POST.copy()
    theirs = refusal.stored.comment if refusal.stored else None
    if refusal.stored:
        data["version"] = str(refusal.stored.version)
    form = EditForm(data, fallback=_language_of(request))
    return _refuse(request, form, _page_of_edit(comment_id, theirs=theirs), refusal)


def _refuse(
    request: HttpRequest, form: CommentForm, page: WritePage, refusal: NotWritten
) -> HttpResponse:
    if refusal.sentence:
        form.add_error(None, refusal.sentence)
    response = _show(request, form, page, status=refusal.status)
    if refusal.retry_after is not None:
        response["Retry-After"] = str(refusal.retry_after)
    if wants_partial(request):
        response["HX-Retarget"] = "#comment-form"
        response["HX-Reswap"] = "outerHTML"
    return response


def _show(
    request: HttpRequest, form: CommentForm, page: WritePage, status: int = HTTPStatus.OK
) -> HttpResponse:
    template = "comments/_write_form.html" if wants_partial(request) else "comments/write.html"
    return render(request, template, {"form": form, "page": page}, status=status)


def _lead_to(request: HttpRequest, url: str) -> HttpResponse:
    """Load a page, the whole of it: what was written is in its lists, messages and counts."""
    return HttpResponseClientRedirect(url) if wants_partial(request) else redirect(url)


def _deletable(request: HttpRequest, comment_id: str) -> NewComment | None:
    """Give the comment, None when it is gone already. Raises Http404 for somebody else's."""
    try:
        with labelled_calls("comment"):
            stored = load_comment(comment_id)
    except NoSuchComment:
        return None
    is_own = stored.comment.username == request.user.get_username()
    if not (is_own or request.user.is_staff):
        raise Http404(NOT_YOURS)
    return stored.comment


def _again(request: HttpRequest, *, form_id: str) -> NewCommentForm:
    data = request.POST.copy()
    data["form_id"] = form_id
    return NewCommentForm(data, fallback=_language_of(request))


def _form_id(request: HttpRequest, product_id: str) -> str:
    username = request.user.get_username()
    return new_form_id(username=username, product_id=product_id, now=timezone.now())


def _take_write(request: HttpRequest, now: datetime) -> int:
    username = request.user.get_username()
    return take_write(username=username, network=client_network(request), now=now)


def _language_of(request: HttpRequest) -> str:
    """Give the visitor's first language: what a text is taken to be in that does not tell."""
    accepted = request.headers.get("Accept-Language", "")
    return preferred_language(accepted, among=dict(all_languages())) or ""


def _page_of_new(product: Product) -> WritePage:
    return WritePage(
        heading=f"Your comment on {product.name}",
        submit="Post",
        submit_url=reverse("new_comment", args=[product.id]),
        back_url=product.url,
        product=product,
    )


def _page_of_edit(
    comment_id: str, *, product: Product | None = None, theirs: NewComment | None = None
) -> WritePage:
    return WritePage(
        heading="Your comment",
        submit="Save",
        submit_url=reverse("edit_comment", args=[comment_id]),
        back_url=reverse("comment", args=[comment_id]),
        product=product,
        theirs=theirs,
    )


def _product(product_id: str) -> Product:
    try:
        with labelled_calls("product"):
            return find_product(product_id)
    except NoSuchProduct as error:
        raise Http404("There is no such product.") from error
