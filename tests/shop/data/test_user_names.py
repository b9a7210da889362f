"""User names made of other systems' names of customers."""

import pytest

from shop.accounts.names import USERNAME
from shop.data.names import username_for
from tests.dynapages.files.test_identifiers import LOOK_ALIKES, NASTY


class TestAUserName:
    @pytest.mark.parametrize("allowed", ["ann", "ann.lee_7", "Ann"])
    def test_is_kept_in_lower_case_where_it_is_allowed(self, allowed):
        assert username_for(allowed) == allowed.lower()

    @pytest.mark.parametrize("original", [*NASTY, "u1", "7", "ann@example.com"])
    def test_is_mapped_to_an_allowed_one(self, original):
        assert USERNAME.fullmatch(username_for(original))

    def test_differs_where_originals_do(self):
        assert len({username_for(one) for one in LOOK_ALIKES}) == len(LOOK_ALIKES)
