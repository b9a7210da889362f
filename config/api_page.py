"""The page of the API's operations, by Swagger UI: the site's head and foot around it."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from ninja import NinjaAPI, Swagger

from dynapages.django.access import public


class OperationsPage(Swagger):
    """Swagger UI, which shows the API's document, as a part of a page of the site."""

    def render_page(
        self,
        request: HttpRequest,
        api: NinjaAPI,
        **kwargs: Any,  # noqa: ANN401 - ninja's
    ) -> HttpResponse:
        """Show the page; it reads nothing from DynamoDB."""
        context = {
            "swagger_settings": json.dumps(
                {**self.settings, "url": self.get_openapi_url(api, kwargs)}
            ),
            "trail": [
                {"url": reverse("documentation"), "name": _("Documentation")},
                {"url": reverse("document", args=["api"]), "name": "API"},
            ],
        }
        return render(request, "api_operations.html", context)


def as_page(view: Any) -> Any:  # noqa: ANN401 - ninja's
    """Have the page's view answer everybody, and 405 to who would write."""
    return csrf_exempt(require_safe(public(view)))
