"""The OpenAPI document as somebody reads it who knows nothing but that."""

import pytest

from tests.support.config.api import operations

OPERATIONS = operations()


@pytest.mark.parametrize("name", OPERATIONS)
class TestAnOperation:
    def test_says_what_each_parameter_is(self, name):
        parameters = OPERATIONS[name]["parameters"]
        assert [each["name"] for each in parameters if not each.get("description")] == []
