"""Addresses of what an API answers, in that API itself."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from pydantic import GetCoreSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, core_schema

from dynapages.django.paging import address_of_item


def api_address(request: HttpRequest, operation: str, item_id: str) -> str:
    """Return the address of an item, by the name of the function that answers it.

    It is in the API that the request is for, wherever a project has put that.
    """
    match = request.resolver_match
    namespace = match.namespace if match else ""
    return address_of_item(f"{namespace}:{operation}", item_id)


@dataclass(frozen=True, slots=True)
class ApiAddress:
    """An annotation of a field that is read from an id, and answered as `api_address`.

    Validated apart from an operation's answer, its shape needs the context ``{"request": …}``.
    """

    operation: str

    def address(self, item_id: str, info: ValidationInfo[Any]) -> str:
        """Return the address of an item in the API of the request of the context."""
        return api_address(info.context["request"], self.operation, item_id)

    def __get_pydantic_core_schema__(
        self, source: type, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_info_after_validator_function(self.address, handler(source))
