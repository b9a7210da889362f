"""An empty project follows docs/installing.md, and then has comments: with nothing else of ours.

Another one does with users who sign in by e-mail address, as those of django-oscar do.
"""

import json
import os
import re
import shutil
from functools import partial
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
    "/reviews/users/nobody@example.com/": 404,
    f"{HERE}comments/new/": 302,
    "/reviews/staff/comments/": 302,
    "/reviews/comments/none/": 404,
    "/api/comments/none": 404,
}
"""Of those that the walk asks for, what is not 200 to a visitor; the third digit is Arabic."""
EXAMPLE = "\nThe example is a new project"
COMMANDS = "\n## Tables and checks\n"
BY_ADDRESS = "\n## Users who sign in by e-mail address\n"
THE_SHOP = "\n## The shop as well\n"
OPTION = re.compile(r"^\| `([A-Z_]+)` \| `(.*?)` \|", re.MULTILINE)


class Project(NamedTuple):
    """A project of somebody else's: where it is, and its environment."""

    folder: Path
    environment: dict[str, str]

    def walked(self, walk: str) -> dict[str, Any]:
        """Return what a walk through it has found."""
        shutil.copy(PROJECT / "tests" / "support" / walk, self.folder)
        return json.loads(run(f"python {walk}", self.folder, self.environment))


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder into which pip has installed what the document says; no other folder is ours.

    pip builds both distributions here, but takes nothing from an index: what they need is in the
    environment of the tests. `.ci/package` installs them into an empty one.
    """
    for tool in ("pip", "hatchling", "hatch_fancy_pypi_readme"):
        pytest.importorskip(tool, reason=f"{tool} is not here: 'make install' brings it")
    here, path = tmp_path_factory.mktemp("install"), tmp_path_factory.mktemp("path")
    offline = {
        "PATH": os.environ["PATH"],
        "DYNASHOP": str(PROJECT),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it as the option itself: no isolation
        "PIP_NO_CACHE_DIR": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "PIP_TARGET": str(path),
    }
    follow("installing.md", here, offline, until=EXAMPLE)
    return path


def made(tmp_path_factory, installed, name: str) -> tuple[Project, dict[str, str]]:
    """An empty project that can import the app alone, and what it says instead of the document."""
    folder = tmp_path_factory.mktemp("project")
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(installed),
        "DJANGO_SETTINGS_MODULE": "mysite.settings",
        "DYNASHOP": str(PROJECT),
        "DYNAMODB_ENDPOINT_URL": settings.DYNAMODB_ENDPOINT_URL,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": settings.AWS_REGION,
    }
    # A prefix that the tests delete tables by at their end.
    instead = {'"mysite-"': f'"{settings.DYNAMODB_TABLE_PREFIX}{name}-"'}
    return Project(folder, environment), instead


@pytest.fixture(scope="module")
def project(tables, tmp_path_factory, installed):
    """A project with Django's own users that has followed the document."""
    project, instead = made(tmp_path_factory, installed, "mysite")
    document = partial(follow, "installing.md", project.folder, project.environment)
    document(since=EXAMPLE, until=BY_ADDRESS, instead=instead)
    return project


@pytest.fixture(scope="module")
def project_by_address(tables, tmp_path_factory, installed):
    """A project that has followed the chapter about users by e-mail address before its tables."""
    project, instead = made(tmp_path_factory, installed, "by-address")
    document = partial(follow, "installing.md", project.folder, project.environment)
    document(since=EXAMPLE, until=COMMANDS, instead=instead)
    document(since=BY_ADDRESS, until=THE_SHOP)
    document(since=COMMANDS, until=BY_ADDRESS)
    return project


@pytest.fixture(scope="module")
def told_of_own_users(project):
    """What a walk through it has found."""
    return project.walked("walk_of_installing.py")


@pytest.fixture(scope="module")
def told_of_addresses(project_by_address):
    """The same where all user names are e-mail addresses."""
    return project_by_address.walked("walk_of_installing.py")


@pytest.fixture(params=["told_of_own_users", "told_of_addresses"])
def told(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def told_of_the_shop(project, told_of_own_users):
    """The same, when it has followed the chapter about the shop as well."""
    follow("installing.md", project.folder, project.environment, since=THE_SHOP)
    return project.walked("walk_of_the_shop.py")


ASKED_FOR_A_REVIEW = """
from datetime import timedelta
from django.contrib.auth import get_user_model
from django.core import mail
from django.core.management import call_command
from django.utils import timezone
from goods.models import Article, Purchase
settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
buyer = get_user_model().objects.first()
arrived_at = timezone.now() - timedelta(days=8)
purchase = Purchase.objects.create(buyer=buyer, arrived_at=arrived_at)
purchase.articles.add(Article.objects.last())
for _ in range(2):
    call_command("request_reviews")
(email,) = mail.outbox
print(email.to == [buyer.email], email.body)
"""


class TestAskingForReviews:
    """Once the walks through the projects are over, which count products and users."""

    @pytest.mark.parametrize("walked", ["told_of_own_users", "told_of_addresses"])
    def test_asks_about_a_purchase_once(self, request, project, project_by_address, walked):
        request.getfixturevalue(walked)
        here = project if walked == "told_of_own_users" else project_by_address
        program = f"from django.conf import settings\n{ASKED_FOR_A_REVIEW}"
        (here.folder / "asked_for_a_review.py").write_text(program)
        command = "python manage.py shell -c 'import asked_for_a_review'"
        said = run(command, here.folder, here.environment)
        assert "1 of 1 purchases were asked about." in said
        assert "0 of 1 purchases were asked about.\n  asked before: 1" in said
        assert "https://www.example.com/reviews/products/2/comments/new/?bought=yes" in said
        assert "True" in said


class TestWhatIsInstalled:
    def test_is_both_distributions_and_nothing_else(self, installed):
        names = {path.name.partition("-")[0] for path in installed.iterdir()}
        assert names == {"comments", "dynapages", "dynapages_comments"}


class TestAProjectWithTheApp:
    def test_imports_nothing_else_of_ours(self, told):
        assert told["imported"] == []

    def test_lists_two_languages_and_two_ratings_in_both_directions(self, told):
        lists = told["lists"]
        assert len(lists["there"]) > 2
        assert [*chain(*lists["there"])] == [*chain(*lists["back"])] == lists["wanted"]

    def test_leaves_an_imported_name_out_that_is_an_address(self, told):
        assert told["lists"]["left out"]

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
            "comment_edited",
            "vote_cast",
            "comment_reported",
            "comment_hidden",
            "vote_cast",
            "comment_held",
        ]
        assert told["counted by a receiver"] == 1

    def test_takes_votes_by_keys_of_its_own(self, told):
        vote = {"has_voted": True, "helpful_votes": 1}
        assert told["by keys"]["votes"] == [vote, 200, 401, 401]

    def test_has_all_style_sheets_and_scripts(self, told):
        assert told["static files"] == [True, []]

    def test_speaks_german(self, told):
        assert "Kommentare" in told["german"]


class TestUsersOfAnyProject:
    def test_have_no_address_on_any_page_and_in_nothing_that_is_sent_logged_or_stored(self, told):
        assert {"comment_posted", "log", "stored", "import"} <= {*told["seen"]}
        assert told["addresses"] == []

    def test_can_change_their_address_and_nothing_else_changes(self, told):
        moved = told["moved"]
        assert (moved["changed pages"], moved["is edited"], moved["shows the edit"]) == (
            [],
            302,
            True,
        )

    def test_are_not_found_by_what_is_the_id_of_nobody(self, told):
        assert told["unknown users"] == dict.fromkeys(told["unknown users"], 404)


class TestUsersOfDjangosOwnModel:
    def test_are_shown_by_their_user_names_unless_those_are_addresses(self, told_of_own_users):
        told = told_of_own_users
        assert (told["slugs"], told["moved"]["name"]) == ({"ada": "1", "bob": "2"}, "")
        assert "Customer</bdi>" in told["sees_vote"]
        assert "Kundin oder Kunde</bdi>" in told["german profile"]
        assert told["by keys"]["posted"] == {"author": "bob", "username": "2"}
        assert told["reporter"] == [["/reviews/users/2/", "bob"]]


class TestUsersWhoSignInByAddress:
    def test_are_shown_by_a_name_and_found_by_a_slug(self, told_of_addresses):
        told = told_of_addresses
        assert told["slugs"] == {"ada": "customer-1", "bob": "customer-2"}
        assert told["moved"]["name"] == "Ada L"
        assert "Ada L</bdi>" in told["sees_vote"]
        assert 'href="/reviews/users/customer-1/"' in told["sees_vote"]

    def test_are_customers_where_they_gave_no_name(self, told_of_addresses):
        told = told_of_addresses
        assert told["by keys"]["posted"] == {"author": "", "username": "customer-2"}
        assert told["reporter"] == [["/reviews/users/customer-2/", "Customer"]]

    def test_need_a_name_for_the_checks_to_pass(self, project_by_address):
        nameless = project_by_address.environment | {"DJANGO_SETTINGS_MODULE": "nameless"}
        own = project_by_address.folder / "nameless.py"
        own.write_text("from mysite.settings import *\nCOMMENTS.pop('DISPLAY_NAME')\n")
        said = run("python manage.py check", project_by_address.folder, nameless, fails=True)
        assert "(comments.DISPLAY_NAME)" in said
        assert "HINT: Set it to 'first_name'" in said


class TestAProjectWithTheShopAsWell:
    def test_has_no_page_that_fails(self, told_of_the_shop):
        statuses = told_of_the_shop["statuses"]
        others = {"/shop/staff/orders/": 404, "/reviews/products/none/": 404}
        assert statuses == {**dict.fromkeys(statuses, 200), **others}

    def test_shows_staff_a_customer_without_orders(self, told_of_the_shop):
        assert told_of_the_shop["no_orders_yet"] == 200

    def test_leads_staff_to_the_orders_of_a_customer(self, told_of_the_shop):
        assert told_of_the_shop["found"] == "/shop/staff/customers/sally/orders/"

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
