"""The app's pages under a prefix of the project's choice: no address is written down twice."""

import re

import pytest
from django.template.loader import render_to_string
from django.urls import include, path, reverse

from config.urls import urlpatterns as site
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments

urlpatterns = [
    path("reviews/", include("comments.urls")),
    *(one for one in site if getattr(one, "app_name", "") != "comments"),
]

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.urls(__name__)]

APP = r"products/[^/\"]+/(?!also|drawing)|comments|users|staff/comments|rankings|languages"
WITHOUT = re.compile(rf"[\"'](?:http://testserver)?/(?:{APP})/?[^\"' ]*")
"""An address of the app without the prefix."""


@pytest.fixture
def pages(lamp, sam):
    """All kinds of pages that link to others, as staff."""
    load(numbered_comments(lamp, count=25, languages=("de", "en")))
    listed = reverse("comments:list", args=[lamp, "~", "~"])
    return [
        reverse("comments:product", args=[lamp]),
        listed,
        f"{listed}?format=atom",
        f"{listed}?order=helpful",
        reverse("comments:comment", args=[f"{lamp}-0001"]),
        reverse("comments:new_comment", args=[lamp]),
        reverse("comments:profile", args=[sam.username]),
        reverse("comments:moderation"),
        reverse("comments:most_loved"),
    ]


class TestPages:
    def test_lead_to_nothing_without_the_prefix(self, pages, sam):
        for url in pages:
            answer = sam.get(url)
            assert answer.status == 200, url
            assert WITHOUT.findall(answer.response.content.decode()) == [], url


class TestRobots:
    def test_are_kept_from_forms_and_from_what_staff_see(self):
        assert render_to_string("comments/robots.txt").splitlines() == [
            "Disallow: /reviews/languages/detect/",
            "Disallow: /reviews/staff/comments",
            "Disallow: /reviews/comments/delete/",
            "Disallow: /reviews/comments/edit/",
            "Disallow: /reviews/comments/report/",
            "Disallow: /reviews/review-requests/",
            "Disallow: /reviews/comments/vote/",
            "Disallow: /reviews/products/*/comments/new/",
            "Disallow: /reviews/products/*remember=",
        ]
