"""An API by Django REST framework, in one file. Run: python drf_viewset.py runserver."""

from django.conf import settings
from django.core.management import execute_from_command_line
from sample_table import TABLE, TEAMS

settings.configure(
    SECRET_KEY="a secret of this site alone",  # which signs the links to pages
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["dynapages.django", "rest_framework"],
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
)
from rest_framework import mixins, routers, serializers, viewsets  # noqa: E402 - they read settings

from dynapages import Feed, Index  # noqa: E402
