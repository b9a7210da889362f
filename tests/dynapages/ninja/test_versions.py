"""ETags, and the version that a write says it has seen."""

import pytest
from django.http import HttpRequest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from dynapages.django.refusals import Refusal
from dynapages.ninja.versions import VersionNeeded, conflict_status, entity_tag, version_seen

VERSIONS = st.integers(min_value=0).map(str) | st.text("0123456789abcdef", min_size=1)
CONTENT = st.dictionaries(st.sampled_from(["text", "rating", "author"]), st.text("abc"))


def seen(header: str | None, in_body: str | int | None = None) -> str | None:
    """The version that a request with an ``If-Match`` has seen."""
    headers = {} if header is None else {"If-Match": header}
    return version_seen(RequestFactory().put("/", headers=headers), in_body)


class TestAnETag:
    @given(VERSIONS, CONTENT)
    def test_is_understood_as_the_version_that_it_begins_with(self, version, content):
        etag = entity_tag({**content, "version": version})
        assert seen(etag) == seen(f"W/{etag}") == seen(f'"{version}"') == version

    @given(CONTENT, CONTENT)
    def test_is_the_same_for_the_same_content_alone(self, one, other):
        assert (entity_tag(one) == entity_tag(other)) == (one == other)

    @given(CONTENT, st.floats(0, 100), st.floats(0, 100))
    def test_of_a_list_does_not_change_with_its_cost(self, content, cost, other):
        etag = entity_tag({**content, "cost": cost})
        assert etag == entity_tag({**content, "cost": other})
        assert etag.startswith('W/"')

    @given(st.text())
    def test_has_no_character_that_ends_a_header(self, text):
        assert entity_tag({"text": text}).isascii()
        assert entity_tag({"text": text}).isprintable()


class TestAVersion:
    def test_is_needed(self):
        with pytest.raises(VersionNeeded):
            seen(None)

    def test_may_be_any(self):
        assert seen("*") is None

    def test_of_the_body_counts_without_a_header(self):
        assert seen(None, 3) == "3"

    def test_may_be_said_twice_if_it_is_the_same(self):
        assert seen('"3-abc"', 3) == "3"
        for header, in_body in (('"4"', 3), ("*", 3), ('"33"', 3)):
            with pytest.raises(Refusal):
                seen(header, in_body)

    @pytest.mark.parametrize("header", ["3", '"3', '3"', '"3", "4"', '"a b"', "", '""', '"ä"'])
    def test_in_another_form_is_refused(self, header):
        with pytest.raises(Refusal):
            seen(header)

    @pytest.mark.parametrize("text", ['"a",', 'W/"', '"a-', '"a-0', "a-", '"' * 3])
    def test_in_a_long_header_is_refused_at_once(self, text):
        """An expression that tries again from each character would never end."""
        with pytest.raises(Refusal):
            seen(text * 30_000)


def request_with(**headers: str) -> HttpRequest:
    return RequestFactory().put("/", headers=headers)


class TestWhatIsNotThereYet:
    def test_has_an_empty_version(self):
        request = request_with(if_none_match="*")
        assert version_seen(request, None) == version_seen(request, "") == ""

    def test_is_asked_for_by_a_header_that_is_answered_412(self):
        for headers in ({"if_none_match": "*"}, {"if_match": "*"}):
            assert conflict_status(request_with(**headers)) == 412
        assert conflict_status(request_with()) == 409

    @pytest.mark.parametrize(
        ("headers", "in_body"),
        [
            ({"if_none_match": "*"}, 4),
            ({"if_none_match": "*", "if_match": '"3"'}, None),
            ({"if_none_match": "*", "if_match": "*"}, None),
            ({"if_none_match": '"3"'}, None),
        ],
    )
    def test_is_not_what_has_a_version(self, headers, in_body):
        with pytest.raises(Refusal):
            version_seen(request_with(**headers), in_body)
