"""An empty project follows docs/installing.md, and then has comments: with nothing else of ours."""

import json
import os
import re
import shutil
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.conf import settings

from comments.host import DEFAULTS
from tests.support.documented_code import follow, run
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("tables")

HERE = "/reviews/products/1/"
OTHERS = {
    "/reviews/products/3/": 404,
    "/reviews/products/none/": 404,
    f"/reviews/products/{'9' * 30}/": 404,
    "/reviews/products/\u0663/": 404,
    f"{HERE}comments/en/7/": 400,
    "/reviews/users/nobody/": 404,
    f"{HERE}comments/new/": 302,
    "/reviews/staff/comments/": 302,
    "/reviews/comments/none/": 404,
    "/api/comments/none": 404,
}
"""Of those that the walk asks for, what is not 200 to a visitor; the third digit is Arabic."""
THE_SHOP = "\n## The shop as well\n"
OPTION = re.compile(r"^\| `([A-Z_]+)` \| `(.*?)` \|", re.MULTILINE)


class Project(NamedTuple):
    """A project of somebody else's: where it is, what it can import, and its environment."""

    folder: Path
    path: Path
    environment: dict[str, str]

    def can_import(self, *apps: str) -> None:
        for app in apps:
            (self.path / app).symlink_to(PROJECT / app)

    def walked(self, walk: str) -> dict[str, Any]:
        """Return what a walk through it has found."""
        shutil.copy(PROJECT / "tests" / "support" / walk, self.folder)
        return json.loads(run(f"python {walk}", self.folder, self.environment))


@pytest.fixture(scope="module")
def project(tables, tmp_path_factory):
    """A project with the app alone; it can import nothing else of ours."""
    folder, path = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("path")
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(path),
        "DJANGO_SETTINGS_MODULE": "mysite.settings",
        "DYNASHOP": str(PROJECT),
        "DYNAMODB_ENDPOINT_URL": settings.DYNAMODB_ENDPOINT_URL,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": settings.AWS_REGION,
    }
    project = Project(folder, path, environment)
    project.can_import("dynapages", "comments")
    # A prefix that the tests delete tables by at their end.
    own = f"{settings.DYNAMODB_TABLE_PREFIX}mysite-"
    instead = {'"mysite-"': f'"{own}"'}
    follow("installing.md", folder, environment, until=THE_SHOP, instead=instead)
    return project


@pytest.fixture(scope="module")
def told(project):
    """What a walk through it has found."""
    return project.walked("walk_of_installing.py")


@pytest.fixture(scope="module")
def told_of_the_shop(project, told):
    """The same, when it has followed the chapter about the shop as well."""
    project.can_import("shop")
    follow("installing.md", project.folder, project.environment, since=THE_SHOP)
    return project.walked("walk_of_the_shop.py")


class TestAProjectWithTheApp:
    def test_imports_nothing_else_of_ours(self, told):
        assert told["imported"] == []

    def test_lists_two_languages_and_two_ratings_in_both_directions(self, told):
        lists = told["lists"]
        assert len(lists["there"]) > 2
        assert [*chain(*lists["there"])] == [*chain(*lists["back"])] == lists["wanted"]

    def test_has_no_page_that_fails(self, told):
        assert told["statuses"] == {**dict.fromkeys(told["statuses"], 200), **OTHERS}

    def test_has_no_page_that_fails_for_its_staff(self, told):
        assert told["of staff"] == dict.fromkeys(told["of staff"], 200)

    def test_signs_in_by_its_own_page_and_comes_back(self, told):
        assert told["after_signing_in"] == f"{HERE}comments/new/"

    def test_holds_the_first_comment_of_a_user_until_staff_publish_it(self, told):
        assert told["waits"] == {"is told": True, "for others": 404, "is listed": False}
        assert told["published"] == 302
        assert told["mine"] == {"title": True, "verified": True}
        assert told["profile"]

    def test_shows_average_and_newest_comments_on_its_own_pages(self, told):
        assert f'<a href="{HERE}comments/~/~/#comments">61 comments</a>' in told["article"]
        assert told["article"].count("<blockquote") == 5
        assert "/reviews/products/2/comments/new/" in told["empty"]

    def test_counts_a_vote_that_its_voter_can_take_back(self, told):
        assert told["voted"] == 302
        assert told["helpful"]
        assert 'name="helpful" value="no"' in " ".join(told["sees_vote"].split())

    def test_has_staff_hide_what_was_reported(self, told):
        assert (told["reported"], told["queue"], told["decided"]) == (302, True, 302)
        assert told["hidden"] == [404, 200, False]

    def test_hears_of_each_event_once(self, told):
        assert told["events"] == [
            "comment_held",
            "comment_posted",
            "vote_cast",
            "comment_reported",
            "comment_hidden",
        ]
        assert told["counted by a receiver"] == 1

    def test_takes_votes_by_keys_of_its_own(self, told):
        vote = {"has_voted": True, "helpful_votes": 1}
        assert told["by keys"] == [vote, 200, 401, 401]

    def test_has_all_style_sheets_and_scripts(self, told):
        assert told["static files"] == [True, []]

    def test_speaks_german(self, told):
        assert "Kommentare" in told["german"]


class TestAProjectWithTheShopAsWell:
    def test_has_no_page_that_fails(self, told_of_the_shop):
        statuses = told_of_the_shop["statuses"]
        others = {"/shop/staff/orders/": 404, "/reviews/products/none/": 404}
        assert statuses == {**dict.fromkeys(statuses, 200), **others}

    def test_shows_staff_a_customer_without_orders(self, told_of_the_shop):
        assert told_of_the_shop["no_orders_yet"] == 200

    def test_takes_an_order_and_moves_it_on(self, told_of_the_shop):
        assert told_of_the_shop["placed"] == "/shop/orders/"
        assert told_of_the_shop["own"]
        assert told_of_the_shop["queue"]
        assert told_of_the_shop["moved"] == [302, True]
        assert told_of_the_shop["activity"] == 200


class TestTheTableOfOptions:
    def test_has_all_with_their_defaults(self):
        document = (PROJECT / "docs" / "installing.md").read_text().partition("## Options")[2]
        told = dict(OPTION.findall(document))
        assert told == {name: repr(default) for name, default in DEFAULTS.items()}
