"""html-validate finds nothing in the HTML of any type of page, in either language."""

import json
import shutil
import subprocess
from http import HTTPStatus

import pytest
from django.conf import settings

from tests.support.comments.topical import with_topics
from tests.support.config.addresses import ROLES, browser_of, people
from tests.support.config.page_types import addresses_of, furnished
from tests.support.markup import read_markup
from tests.support.project import PROJECT

VALIDATOR = PROJECT / "node_modules" / "html-validate" / "bin" / "html-validate.mjs"
pytestmark = [
    pytest.mark.usefixtures("tables"),
    pytest.mark.skipif(
        not (VALIDATOR.exists() and shutil.which("node")),
        reason="html-validate is not installed: 'npm ci' installs it",
    ),
]
RULES = {
    # What templates leave between elements is compressed to nothing.
    "no-trailing-whitespace": "off",
    # Some browsers forget what the parts of a table are where they are no boxes of one, as on a
    # telephone: https://github.com/mdn/browser-compat-data/issues/19994.
    "no-redundant-role": "off",
    # A listbox of suggestions, a button that is a link without scripts, and what scrolls and can
    # have the focus: HTML has no elements that are these.
    "prefer-native-element": "off",
    # The name of a product or a document may be long.
    "long-title": "off",
    # The renderer of Markdown ends void elements with a slash, as HTML allows.
    "void-style": "off",
    # A checkbox for each order of the list.
    "form-dup-name": ["error", {"shared": ["radio", "button", "submit", "reset", "checkbox"]}],
    # The buttons that send the form of votes are beside the comments, and name it by its id.
    "wcag/h32": "off",
}
LANGUAGES = ("en", "de")


@pytest.fixture(scope="module")
def known(tables):
    return people()


@pytest.fixture(scope="module")
def arguments(known):
    return furnished(known)


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_every_type_of_page_is_valid(known, arguments, tmp_path, language):
    (tmp_path / ".htmlvalidate.json").write_text(
        json.dumps({"root": True, "extends": ["html-validate:recommended"], "rules": RULES})
    )
    addresses = {}
    with_chips = 0
    for role in ROLES:
        browser = browser_of(role, known)
        browser.cookies[settings.LANGUAGE_COOKIE_NAME] = language
        for number, address in enumerate(addresses_of(role, arguments)):
            with with_topics():
                response = browser.get(address)
            assert response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR, address
            if "html" in response.headers.get("Content-Type", ""):
                markup = read_markup(response.content.decode())
                comboboxes = markup.all("input", role="combobox")
                # ARIA allows no other type.
                assert {one["type"] for one in comboboxes} <= {"text"}
                with_chips += bool(markup.all("section", class_="topics"))
                path = tmp_path / f"{role}-{number}.html"
                path.write_bytes(response.content)
                addresses[str(path)] = f"{address} as {role}"
    # Into a file: Node may end before what it wrote to a pipe was read.
    report = tmp_path / "report.json"
    with report.open("w") as output:
        subprocess.run(
            ["node", VALIDATOR, "--formatter", "json", *addresses],
            cwd=tmp_path,
            stdout=output,
            check=False,
        )
    found = []
    for file in json.loads(report.read_text()):
        for fault in file["messages"]:
            place = f"{addresses[file['filePath']]}, line {fault['line']}"
            found.append(f"{place}: {fault['message']} ({fault['ruleId']})")
    assert found == []
    assert len(addresses) > 60
    assert with_chips
