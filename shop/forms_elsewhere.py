"""Addresses that a form is sent to, where the form itself is on another page."""

from collections.abc import Callable
from functools import wraps
from http import HTTPMethod

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

View = Callable[..., HttpResponse]


def form_on(page: str) -> Callable[[View], View]:
    """Take POST, and lead everybody else to the page that has the form.

    What a POST shows has this address: choosing another language there, or opening it once more,
    asks for it by GET. ``page`` is the name of a URL with the same arguments.
    """

    def decorate(view: View) -> View:
        @require_http_methods([HTTPMethod.GET, HTTPMethod.HEAD, HTTPMethod.POST])
        @wraps(view)
        def view_of_form(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponse:
            if request.method == HTTPMethod.POST:
                return view(request, *args, **kwargs)
            return redirect(reverse(page, args=args, kwargs=kwargs))

        return view_of_form

    return decorate
