"""The pages around the forms in which comments are written."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from comments.items import NewComment
from comments.languages import all_languages, language_name, preferred_language
from comments.web.form_pages import FormPage
from shop.catalogue.queries import Product

WRITE_FORM = FormPage(
    "comments/posting/write.html", "comments/posting/_write_form.html", "#comment-form"
)
NOT_YOURS = gettext_lazy("There is no such comment. It may have been deleted.")


@dataclass(frozen=True, slots=True)
class WritePage:
    """The page around a form; ``theirs`` is the comment as it is stored, beside what was typed."""

    heading: str
    submit: str
    submit_url: str
    back_url: str
    product: Product | None = None
    theirs: NewComment | None = None

    @property
    def their_language(self) -> str:
        return language_name(self.theirs.language) if self.theirs else ""


def page_of_new(product_id: str, product: Product | None = None) -> WritePage:
    """Return the page of a new comment; without ``product`` it has no product name."""
    return WritePage(
        heading=_("Your comment on %(name)s") % {"name": product.name}
        if product
        else _("Your comment"),
        submit=_("Post"),
        submit_url=reverse("new_comment", args=[product_id]),
        back_url=reverse("product", args=[product_id]),
        product=product,
    )


def page_of_edit(
    comment_id: str, *, product: Product | None = None, theirs: NewComment | None = None
) -> WritePage:
    """Return the page of an edit."""
    return WritePage(
        heading=_("Your comment"),
        submit=_("Save"),
        submit_url=reverse("edit_comment", args=[comment_id]),
        back_url=reverse("comment", args=[comment_id]),
        product=product,
        theirs=theirs,
    )


def language_of(request: HttpRequest) -> str:
    """Return the visitor's first language, the fallback for texts."""
    accepted = request.headers.get("Accept-Language", "")
    return preferred_language(accepted, among=dict(all_languages())) or ""
