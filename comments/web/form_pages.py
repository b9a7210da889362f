"""Pages with a form, which is shown again with all that was typed until it is saved."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from comments.web.form_errors import SIGNED_OUT, FormNotSaved
from dynamo.web.partials import wants_partial


@dataclass(frozen=True, slots=True)
class FormPage:
    """The templates of a page and of the fragment with its form.

    ``target`` is the element that htmx swaps the fragment for: a selector, or ``this`` for the
    form that was sent.
    """

    whole: str
    fragment: str
    target: str = "this"

    def show(
        self, request: HttpRequest, form: forms.Form, context: Mapping[str, object]
    ) -> HttpResponse:
        """Show the form."""
        return self._render(request, {**context, "form": form}, HTTPStatus.OK)

    def show_again(
        self,
        request: HttpRequest,
        form: forms.Form,
        context: Mapping[str, object],
        *,
        refusal: FormNotSaved,
    ) -> HttpResponse:
        """Show a form as it was sent, with the error."""
        if refusal.sentence:
            form.add_error(None, refusal.sentence)
        # The user is read from the database: where that is away, the page must do without.
        error = {
            "form": form,
            "is_away": refusal.status is HTTPStatus.SERVICE_UNAVAILABLE,
            "is_signed_out": refusal.sentence == str(SIGNED_OUT),
        }
        response = self._render(request, {**context, **error}, refusal.status)
        if refusal.retry_after is not None:
            response["Retry-After"] = str(refusal.retry_after)
        if wants_partial(request):
            response["HX-Retarget"] = self.target
            response["HX-Reswap"] = "outerHTML"
        return response

    def _render(
        self, request: HttpRequest, context: Mapping[str, object], status: HTTPStatus
    ) -> HttpResponse:
        template = self.fragment if wants_partial(request) else self.whole
        response = render(request, template, dict(context), status=status)
        patch_vary_headers(response, ("HX-Request",))
        return response
