"""Instrumentors: programs that make spans of botocore's calls, by replacing its methods.

OpenTelemetry, AWS X-Ray, Datadog and Sentry replace `BaseClient._make_api_call`, New Relic
`Endpoint.make_request`, and older ones of Sentry `BaseClient.__init__`. They see no call that
botocore does not make. `dynapages.calls.every_client` replaces a method as they do, within a test.
"""

from types import FunctionType

from botocore.client import BaseClient
from botocore.endpoint import Endpoint

METERING = "dynapages.calls.every_client"
"""What replaces a method within blocks of `dynapages.cost`: it makes no spans."""


def are_active() -> bool:
    """Return whether one has replaced a method of botocore's; that takes a microsecond."""
    return (
        _is_replaced(BaseClient._make_api_call)  # type: ignore[attr-defined] # noqa: SLF001 - they replace it
        or _is_replaced(BaseClient.__init__)
        or _is_replaced(Endpoint.make_request)
    )


def _is_replaced(method: object) -> bool:
    # A wrapper of wrapt has all attributes of what it wraps, but for its type.
    if type(method) is not FunctionType:
        return True
    module: str = method.__globals__["__name__"]
    if module == METERING:
        return _is_replaced(vars(method)["__wrapped__"])
    # botocore's own decorators are of its package as well.
    return not module.startswith("botocore.")
