"""What a load balancer asks."""

from http import HTTPStatus

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe

from dynamo.client import client


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Say that the process is alive; the database is not asked."""
    del request
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Say whether the tables can be reached and are active; 503 with the reason when not."""
    del request
    for name in settings.DYNAMODB_MODELS:
        table = import_string(name).Meta.table_name
        try:
            status = client().describe_table(TableName=table)["Table"]["TableStatus"]
        except (ClientError, BotoCoreError) as error:
            return _not_ready(f"{table}: {error}")
        if status not in {"ACTIVE", "UPDATING"}:
            return _not_ready(f"{table}: {status}")
    return HttpResponse("ready\n", content_type="text/plain")


def _not_ready(reason: str) -> HttpResponse:
    return HttpResponse(
        f"{reason}\n", content_type="text/plain", status=HTTPStatus.SERVICE_UNAVAILABLE
    )
