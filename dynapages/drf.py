"""For Django REST framework: a pagination class whose queryset is a feed."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

from dynapages.lists.feed import Feed
from dynapages.lists.feed_pages import FeedPage
from dynapages.lists.tokens import BadToken

__all__ = ["FeedPagination"]

AFTER, BEFORE = "after", "before"


class FeedPagination(CursorPagination):
    """Pages of a `dynapages.Feed`, which a view has as its queryset; the feed needs tokens.

    The parameters are ``after`` and ``before``, whose values are in the links ``next`` and
    ``previous``. As with REST framework's own CursorPagination, a value that was altered or is of
    another list is answered with 404, the size of pages is PAGE_SIZE unless a subclass says
    otherwise, and a visitor chooses it only where ``page_size_query_param`` is named, up to
    ``max_page_size``. Answers have ``count`` where the feed has a ``total``.
    """

    cursor_query_param = AFTER
    cursor_query_description = "Items behind this place."
    page: FeedPage[Any]
    display_page_controls: bool
    _url: str

    def paginate_queryset(
        self, queryset: Feed[Any], request: Request, view: object = None
    ) -> list[Any] | None:
        """Read the page that a request asks for; None where no size is set. Raises NotFound."""
        del view
        size = self.get_page_size(request)
        if not size:
            return None
        query = request.query_params
        try:
            self.page = queryset.page(size, after=query.get(AFTER), before=query.get(BEFORE))
        except BadToken as error:
            raise NotFound(_(str(error))) from error
        self._url = remove_query_param(request.build_absolute_uri(), AFTER)
        self._url = remove_query_param(self._url, BEFORE)
        self.display_page_controls = self.page.has_next or self.page.has_previous
        return list(self.page.items)

    def get_next_link(self) -> str | None:
        """Return the address of the next page, None behind the last."""
        place = self.page.next
        return replace_query_param(self._url, AFTER, place) if place else None

    def get_previous_link(self) -> str | None:
        """Return the address of the previous page, None on the first."""
        place = self.page.previous
        return replace_query_param(self._url, BEFORE, place) if place else None

    def get_paginated_response(self, data: object) -> Response:
        """Return the answer, with ``count`` in front where the feed counts its items."""
        response = super().get_paginated_response(data)
        if self.page.total is None:
            return response
        return Response({"count": self.page.total, **response.data})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema of an answer, for OpenAPI; ``count`` is there whatever the feed is."""
        # It is made without the view, so that nobody knows whether its feed counts.
        count = {"type": "integer", "description": "How many items the list has, if counted."}
        link = {"type": "string", "nullable": True, "format": "uri"}
        properties = {"count": count, "next": link, "previous": {**link}, "results": schema}
        return {"type": "object", "required": ["results"], "properties": properties}

    def get_schema_operation_parameters(self, view: object) -> list[dict[str, Any]]:
        """Return the parameters of the query, for OpenAPI."""
        after, *size = super().get_schema_operation_parameters(view)
        before = {**after, "name": BEFORE, "description": "Items before this place."}
        return [after, before, *size]
