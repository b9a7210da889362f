"""Addresses of what an API answers, in that API itself."""

from django.http import HttpRequest

from dynapages.django.paging import address_of_item


def api_address(request: HttpRequest, operation: str, item_id: str) -> str:
    """Return the address of an item, by the name of the function that answers it.

    It is in the API that the request is for, wherever a project has put that.
    """
    match = request.resolver_match
    namespace = match.namespace if match else ""
    return address_of_item(f"{namespace}:{operation}", item_id)
