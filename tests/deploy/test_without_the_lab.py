"""The site as `.dockerignore` lets it into an image: without the folders ``lab`` and ``demo``.

With what ``requirements-production.txt`` installs, and nothing else.
"""

import json
import shutil

import pytest

from tests.support.chance import unique
from tests.support.deploy.installation import (
    Installation,
    copy_of_image,
    database_variables,
    production_packages,
)
from tests.support.project import PROJECT

ORDERS = """\
order_id,customer,placed_at,status,product_id,product_name,category,quantity,unit_price
1,alice,2026-01-01,PLACED,lamp,Desk lamp,Lighting,1,49.90
"""
COMMENTS = """\
id,product_id,language,rating,created_at,author,title,body
1,lamp,en,5,2026-01-02,Ann,Lovely,Bright and warm.
"""
LIST = "/products/lamp/comments/en/4.5/?explain=1"
PAGES = (
    *("/", "/products/lamp/", LIST, "/orders/", "/staff/orders/", "/categories/", "/users/alice/"),
    *("/docs/how-it-works/", "/docs/designs/filters/", "/docs/lab/"),
)
FILL = """
import django
django.setup()
from django.core.management import call_command as call
call("create_tables")
call("create_user", "alice", staff=True, password="a long way to go")
call("import_orders", "orders.csv", currency="EUR")
call("import_comments", "comments.csv")
"""
WALK = """
import json, sys
import django
django.setup()
from django.test import Client
from shop.accounts.queries import find_user
pages = Client(HTTP_HOST="localhost")
pages.force_login(find_user("alice"))
found = {path: pages.get(path) for path in sys.argv[1:]}
texts = {path: b"".join(page).decode() for path, page in found.items()}
print(json.dumps({path: [page.status_code, texts[path]] for path, page in found.items()}))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A shop with an order and a comment, made by its commands."""
    folder = copy_of_image(tmp_path_factory.mktemp("site"))
    (folder / "orders.csv").write_text(ORDERS)
    (folder / "comments.csv").write_text(COMMENTS)
    settings = {
        **database_variables(),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DYNAMODB_TABLE_PREFIX": f"{unique('alone')}-",
        "SECRET_KEY": "alone" * 10,
    }
    site = Installation(folder, production_packages(tmp_path_factory.mktemp("packages")), settings)
    ended = site.run("-c", FILL)
    assert ended.returncode == 0, ended.stderr
    return site


def walk(site: Installation, *paths: str) -> dict[str, tuple[int, str]]:
    """The status and the text of each page."""
    ended = site.run("-c", WALK, *paths)
    assert ended.returncode == 0, ended.stderr
    return {path: (status, text) for path, (status, text) in json.loads(ended.stdout).items()}


@pytest.fixture(scope="module")
def pages(site):
    return walk(site, *PAGES, "/lab/")


class TestTheSiteAlone:
    def test_has_neither_of_them(self, site):
        left_out = ("demo", "lab", "tests", "dynapages/tests")
        assert [name for name in left_out if (site.folder / name).exists()] == []
        assert not {"faker", "locust", "moto", "psycopg"} & {
            path.name for path in site.packages.iterdir()
        }

    def test_finds_nothing_wrong_with_itself(self, site):
        checked = site.run("manage.py", "check")
        assert (checked.returncode, checked.stderr) == (0, "")

    def test_explains_a_list(self, site):
        explained = site.run("manage.py", "explain", "comments", "--product", "lamp")
        assert explained.returncode == 0, explained.stderr
        assert "1 query on all, 1 round" in explained.stdout

    def test_shows_its_pages(self, pages):
        expected = {**dict.fromkeys(PAGES, 200), "/lab/": 404}
        assert {path: status for path, (status, _) in pages.items()} == expected

    def test_links_to_its_documents_and_not_to_the_lab(self, pages):
        texts = {path: text for path, (_, text) in pages.items()}
        assert [path for path, text in texts.items() if 'href="/lab/' in text] == []
        assert all('href="/docs/how-it-works/"' in text for text in texts.values())

    def test_leads_from_a_list_to_how_it_was_read(self, pages):
        assert 'href="/docs/designs/filters/#four-indexes-by-cost"' in pages[LIST][1]


@pytest.fixture(scope="module")
def whole(site, tmp_path_factory):
    folder = shutil.copytree(site.folder, tmp_path_factory.mktemp("whole") / "site")
    for name in ("demo", "lab"):
        shutil.copytree(PROJECT / name, folder / name)
    return Installation(folder, site.packages, site.environment)


class TestTheFoldersWithoutTheirRequirements:
    def test_have_the_page_of_the_lab(self, whole):
        found = walk(whole, "/", "/lab/")
        assert [status for status, _ in found.values()] == [200, 200]
        assert 'href="/lab/"' in found["/"][1]

    def test_say_what_is_missing(self, whole):
        loaded = whole.run("manage.py", "load_sample")
        sentence = "Faker is not installed here; demo/requirements.txt has it.\n"
        assert (loaded.returncode, loaded.stderr) == (1, sentence)
