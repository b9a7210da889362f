"""The download of one's own data."""

import json
from collections.abc import Iterable, Iterator
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from config.user_data import LIST_END, OWN_TRACES, Batch, Section, export_text, sections_of
from dynapages.calls import fault_in, time_budget
from dynapages.django.access import signed_in
from dynapages.django.rate_limits import NamedLimit, count_or_refuse
from dynapages.django.security_log import log_event
from dynapages.errors import DynamoError
from dynapages.process import page_batches
from dynapages.pynamodb import FAILURES

DOWNLOADS = NamedLimit(5, timedelta(hours=1), "own-data/{}")


class Interrupted(DynamoError):
    """The database was not available while the file was being sent."""


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def own_data(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Answer a POST with what keys of the signed-in user lead to, read while it is sent.

    GET shows the button.
    """
    if request.method != "POST":
        return render(request, "user_data/data.html")
    username = request.user.get_username()
    sentence = _("You have downloaded your data several times. Try again in %(wait)s.")
    count_or_refuse(DOWNLOADS.use(username), sentence=sentence)
    log_event("data-downloaded", user=username, request=request)
    # All is read while it is sent: nobody knows how much it is.
    sections = _read_in_time(sections_of(username, OWN_TRACES, page_batches().get_from_tables))
    return StreamingHttpResponse(
        _closed(export_text(username, sections), _("This file is not complete.")),
        content_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="dynashop.json"'},
    )


def _closed(text: Iterator[str], sentence: str) -> Iterator[str]:
    """Yield the text; where reading fails, close its object with a sentence, as half is sent."""
    try:
        yield from text
    except Interrupted:
        yield f'{LIST_END},\n  "error": {json.dumps(sentence, ensure_ascii=False)}\n}}\n'


def _read_in_time(sections: Iterable[Section]) -> Iterator[Section]:
    for kind, batches in sections:
        yield kind, _batches_in_time(iter(batches))


def _batches_in_time(batches: Iterator[Batch]) -> Iterator[Batch]:
    """Yield batches, each read within the time of a page, or raise Interrupted."""
    while True:
        try:
            # A budget for each batch: all of them together may take longer than a page.
            with time_budget(settings.PAGE_SECONDS):
                batch = next(batches, None)
        except FAILURES as failure:
            if fault_in(failure) is None:
                raise
            raise Interrupted from failure
        if batch is None:
            return
        yield batch
