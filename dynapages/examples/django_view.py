"""A Django site in one file: a list that htmx swaps. Run: python django_view.py runserver."""

from django.conf import settings
from django.core.management import execute_from_command_line
from django.urls import path
from sample_table import TABLE, TEAMS

from dynapages import Feed, Index
from dynapages.django import page_of, render_list, tokens
from dynapages.process import client

LIST = """{% load dynapages %}<section id="notes"><ol>{% for note in page.items %}
<li>{{ note.id }}</li>{% endfor %}</ol>{% pager page target="#notes" %}</section>"""
PAGE = """<!doctype html><title>Notes</title><script src="/htmx.js" defer></script>
<p id="notice"></p>{% include "_notes.html" %}"""  # refusals are shown in the notice
OWN = ("django.template.loaders.locmem.Loader", {"notes.html": PAGE, "_notes.html": LIST})
LOADERS = {"loaders": [OWN, "django.template.loaders.app_directories.Loader"]}
REFUSALS = "dynapages.django.middleware.RefusalMiddleware"  # 400 for a link that was altered
settings.configure(
    DEBUG=True,
    SECRET_KEY="a secret of this site alone",  # which signs the links to pages
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["dynapages.django"],  # connects to DYNAMODB_ENDPOINT_URL, or to Amazon
    MIDDLEWARE=["django_htmx.middleware.HtmxMiddleware", REFUSALS],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "OPTIONS": LOADERS}],
)


def notes(request):
    """Show the notes of three teams, newest first; to htmx the list alone."""
    index = Index(TABLE, "by_team", partition="team", sort="at", table_key=("id",))
    feed = Feed(index, TEAMS, client=client(), tokens=tokens(), name="notes")
    page = page_of(request, feed, size=5)
    return render_list(request, "notes.html", "_notes.html", {"page": page})


urlpatterns = [path("notes/", notes)]
if __name__ == "__main__":
    execute_from_command_line()
