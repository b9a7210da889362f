"""What type checkers know of a feed in a view of Django."""

from typing import assert_type

from django.http import HttpRequest, HttpResponse
from feeds import Note, notes

from dynapages import FeedPage
from dynapages.django import page_of


def list_notes(request: HttpRequest) -> HttpResponse:
    """Return the titles of a page of notes."""
    page = page_of(request, notes, size=20)
    assert_type(page, FeedPage[Note])
    return HttpResponse("\n".join(note.title for note in page.items))
