"""An API by Django REST framework, in one file. Run: python drf_viewset.py runserver."""

from django.conf import settings
from django.core.management import execute_from_command_line
from django.urls import path
from sample_table import TABLE, TEAMS, client

from dynapages import Feed, Index
from dynapages.django import tokens

settings.configure(
    DEBUG=True,
    SECRET_KEY="a secret of this site alone",  # which signs the links to pages
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["dynapages.django", "rest_framework"],
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
)
from rest_framework import serializers, viewsets  # noqa: E402 - reads settings

from dynapages.drf import FeedPagination  # noqa: E402 - the same


class NotePages(FeedPagination):
    page_size, page_size_query_param, max_page_size = 5, "size", 50


class NoteSerializer(serializers.Serializer):
    id, team, at = serializers.CharField(), serializers.CharField(), serializers.IntegerField()


class Notes(viewsets.ReadOnlyModelViewSet):
    pagination_class, serializer_class = NotePages, NoteSerializer
    index = Index(TABLE, "by_team", partition="team", sort="at", table_key=("id",))
    queryset = Feed(index, TEAMS, client=client(), tokens=tokens(), name="notes")


urlpatterns = [path("notes/", Notes.as_view({"get": "list"}))]
if __name__ == "__main__":
    execute_from_command_line()
