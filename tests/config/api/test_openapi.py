"""The OpenAPI document as somebody reads it who knows nothing but that."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings

from tests.support.config.api import operations, schema

COMPONENTS = schema()["components"]["schemas"]
OPERATIONS = operations()
PLAIN_NAMES = {
    *("id", "product_id", "slug", "name", "title", "text", "description", "language", "word"),
    *("created", "last_commented", "five_star_comments", "has_voted"),
    *("address", "hours"),
}
"""Of fields, these say themselves what is in them."""
KEYWORDS = {
    *("$ref", "type", "enum", "format", "title", "description", "default", "examples"),
    *("allOf", "anyOf", "properties", "required", "additionalProperties", "items"),
    *("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern"),
}
"""What the document says of values, in the words of JSON Schema."""


def schemas_in(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema, and those within it."""
    yield part
    within = [*part.get("properties", {}).values(), *part.get("anyOf", ()), *part.get("allOf", ())]
    if "items" in part:
        within.append(part["items"])
    for each in within:
        yield from schemas_in(each)


def answered(name: str) -> dict[str, Any]:
    """The schema of what an operation answers when all goes well."""
    for status, response in OPERATIONS[name]["responses"].items():
        if status < 300:
            for media in response.get("content", {}).values():
                found: dict[str, Any] = media["schema"]
                return found
    return {}


def components_in(part: dict[str, Any]) -> Iterator[str]:
    """Yield the names of the components that a schema refers to, and those that these refer to."""
    for each in schemas_in(part):
        if "$ref" in each:
            name = each["$ref"].rpartition("/")[2]
            yield name
            yield from components_in(COMPONENTS[name])


ANSWERED = sorted({each for name in OPERATIONS for each in components_in(answered(name))})


class TestTheDocument:
    def test_describes_each_group_of_operations(self):
        described = {each["name"] for each in schema()["tags"] if each["description"]}
        assert described == {tag for each in OPERATIONS.values() for tag in each["tags"]}

    def test_names_the_server(self):
        assert [each["url"] for each in schema()["servers"]] == ["/"]

    def test_has_no_component_that_nothing_refers_to(self):
        text = str(schema())
        assert [name for name in COMPONENTS if f"/{name}'" not in text] == []


@pytest.mark.parametrize("name", OPERATIONS)
class TestAnOperation:
    def test_says_what_each_parameter_is(self, name):
        parameters = OPERATIONS[name]["parameters"]
        assert [each["name"] for each in parameters if not each.get("description")] == []

    def test_has_a_summary_of_one_sentence_without_marks(self, name):
        summary = OPERATIONS[name]["summary"]
        assert summary.endswith(".")
        assert not {"`", "\n"} & {*summary}

    def test_says_how_many_items_a_page_has_without_a_limit(self, name):
        for each in OPERATIONS[name]["parameters"]:
            if each["name"] == "limit":
                assert each["description"].endswith(f" Without it, {settings.PAGE_SIZE}.")

    def test_may_be_answered_with_a_fault_of_the_site(self, name):
        assert {500, 503} <= {*OPERATIONS[name]["responses"]}

    def test_takes_no_null_in_its_address(self, name):
        parameters = OPERATIONS[name]["parameters"]
        found = [each for one in parameters for each in schemas_in(one["schema"])]
        assert {"type": "null"} not in found

    def test_says_which_scope_its_key_needs(self, name):
        operation = OPERATIONS[name]
        (scope,) = operation["security"][0]["KeyAuth"]
        assert f"of the scope `{scope}`" in operation["description"]


@pytest.mark.parametrize("name", COMPONENTS)
class TestAComponent:
    def test_uses_words_of_json_schema_alone(self, name):
        used = {keyword for each in schemas_in(COMPONENTS[name]) for keyword in each}
        assert used - KEYWORDS == set()

    def test_says_what_each_field_is_whose_name_does_not(self, name):
        unsaid = []
        for field, part in COMPONENTS[name].get("properties", {}).items():
            # What a component is, that says itself.
            is_said = any("description" in each or "$ref" in each for each in schemas_in(part))
            if not is_said and field not in PLAIN_NAMES:
                unsaid.append(field)
        assert unsaid == []

    def test_has_a_name_that_is_one_word(self, name):
        assert name.isalpha()


@pytest.mark.parametrize("name", ANSWERED)
def test_what_is_always_answered_is_required(name):
    component = COMPONENTS[name]
    assert {*component.get("properties", ())} == {*component.get("required", ())}
