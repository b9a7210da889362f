"""The page on which users write comments about a product."""

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from comments.lists.read_your_writes import remember_written
from comments.posting.by_users import post_comment
from comments.posting.edit_views import conflicts_as_form_errors, refuse_edit
from comments.posting.form_ids import BadForm, comment_id_of, new_form_id
from comments.posting.forms import NewCommentForm
from comments.posting.pages import WRITE_FORM, language_of, page_of_new
from comments.web.form_errors import FormNotSaved, forged, require_user
from comments.web.rate_limits import check_rate_limit
from dynamo.calls import clock
from dynamo.web.forgery import redisplay_on_csrf_failure
from dynamo.web.partials import redirect_page
from shop.catalogue.lookup import product_or_404
from shop.catalogue.queries import Product
from shop.web.access import signed_in


def _forged(request: HttpRequest, product_id: str) -> HttpResponse:
    form = NewCommentForm(request.POST, fallback=language_of(request))
    context = {"page": page_of_new(product_id)}
    return WRITE_FORM.show_again(request, form, context, refusal=forged())


@redisplay_on_csrf_failure(_forged)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, product_id: str) -> HttpResponse:
    """Write a comment about a product."""
    return (_post if request.method == "POST" else _show)(request, product_id)


@signed_in
def _show(request: HttpRequest, product_id: str) -> HttpResponse:
    initial = {"form_id": _form_id(request, product_id)}
    form = NewCommentForm(initial=initial, fallback=language_of(request))
    context = {"page": page_of_new(product_id, product_or_404(product_id))}
    return WRITE_FORM.show(request, form, context)


def _post(request: HttpRequest, product_id: str) -> HttpResponse:
    product = None
    form = NewCommentForm(request.POST, fallback=language_of(request))
    try:
        with conflicts_as_form_errors():
            product = product_or_404(product_id)
            _write(request, product, form)
    except BadForm as error:
        form = _with_new_id(request, product_id)
        again = _("Here is a new one with all that you typed: send it once more.")
        sentence = f"{error} {again}"
        refusal = FormNotSaved(HTTPStatus.UNPROCESSABLE_ENTITY, sentence)
    except FormNotSaved as error:
        if error.stored is not None:  # from now on it is an edit of what was posted
            return refuse_edit(request, error.stored.comment.id, error)
        refusal = error
    else:
        messages.success(request, _("Thank you! Your comment is posted."))
        return redirect_page(request, reverse("product", args=[product_id]))
    context = {"page": page_of_new(product_id, product)}
    return WRITE_FORM.show_again(request, form, context, refusal=refusal)


def _write(request: HttpRequest, product: Product, form: NewCommentForm) -> None:
    username, now = require_user(request), clock.now()
    if not form.is_valid():
        raise FormNotSaved(HTTPStatus.UNPROCESSABLE_ENTITY)
    form_id = form.cleaned_data["form_id"]
    comment_id = comment_id_of(form_id, username=username, product_id=product.id)
    check_rate_limit(request, now=now)
    remember_written(request.session, comment_id, now=now)
    post_comment(
        form.draft, comment_id=comment_id, product_id=product.id, username=username, now=now
    )


def _with_new_id(request: HttpRequest, product_id: str) -> NewCommentForm:
    data = request.POST.copy()
    data["form_id"] = _form_id(request, product_id)
    return NewCommentForm(data, fallback=language_of(request))


def _form_id(request: HttpRequest, product_id: str) -> str:
    username = request.user.get_username()
    return new_form_id(username=username, product_id=product_id, now=clock.now())
