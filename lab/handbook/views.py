"""Pages of the documentation."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from lab.handbook.documents import NoSuchDocument, find_document
from shop.web.caching import public


@require_safe
@public
def document(request: HttpRequest, name: str) -> HttpResponse:
    """Show a document; it reads nothing from DynamoDB."""
    try:
        found = find_document(name)
    except NoSuchDocument as error:
        raise Http404(_("There is no such page in the documentation.")) from error
    return render(request, "lab/document.html", {"document": found})
