"""The addresses of the project: comments, and a page that signs in."""

from django.urls import include, path

urlpatterns = [
    path("reviews/", include("comments.urls")),
    path("accounts/", include("django.contrib.auth.urls")),
]
