"""User names made of other systems' names of customers."""

import pytest

from shop.accounts.names import USERNAME
from shop.data.orders import user_name_of
from tests.dynapages.files.test_identifiers import LOOK_ALIKES, NASTY


class TestAUserName:
    @pytest.mark.parametrize("allowed", ["ann", "ann.lee_7", "Ann"])
    def test_is_kept_in_lower_case_where_it_is_allowed(self, allowed):
        assert user_name_of(allowed) == allowed.lower()

    @pytest.mark.parametrize("original", [*NASTY, "u1", "7", "ann@example.com"])
    def test_is_mapped_to_an_allowed_one(self, original):
        assert USERNAME.fullmatch(user_name_of(original))

    def test_differs_where_originals_do(self):
        assert len({user_name_of(one) for one in LOOK_ALIKES}) == len(LOOK_ALIKES)
