"""The middleware that has webhooks known before a request writes."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from shop.webhooks.known import read_meanwhile

WRITING_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class KnownWebhooksMiddleware:
    """Has the webhooks read, where it is time to, while a request that may write is answered.

    So the change itself need not wait for them: it makes no round more. Without this middleware the
    first change in half a minute reads them by itself.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method not in WRITING_METHODS:
            return self._get_response(request)
        with read_meanwhile():
            return self._get_response(request)
