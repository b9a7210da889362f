"""What a large shop asks of partitions: the arithmetic, and the measured requests."""

from io import StringIO

import pytest
from django.core.management import call_command

from lab.scale.forecast import (
    FLASH_SALE,
    PRODUCTS,
    STEADY,
    Load,
    times_of_limit,
)
from lab.scale.partitions import Partition
from lab.scale.requests import KINDS, Measured, Product, Requested

PRODUCT = Product("lamp", "lights", "comment-1")
READ = Partition("comments", "all", "PRODUCT#lamp", is_write=False)
WRITE = Partition("shop", "", "OPEN#PLACED#*", is_write=True)
PAGE = next(kind for kind in KINDS if kind.name == "product page")
ORDER = next(kind for kind in KINDS if kind.name == "order")
MEASURED = Measured(
    PRODUCT,
    [Requested(PAGE, {READ: 2.0}, 2.0, 0.0), Requested(ORDER, {WRITE: 1.0}, 0.0, 5.0)],
    {
        READ: 1,
        READ._replace(is_write=True): 1,
        WRITE: 4,
        WRITE._replace(is_write=False): 4,
    },
)


class TestTraffic:
    def test_has_all_its_shares(self):
        assert sum(STEADY.share(kind) for kind in KINDS) == pytest.approx(1)
        assert sum(FLASH_SALE.share(kind) for kind in KINDS) == pytest.approx(1)

    def test_is_about_one_product_by_zipfs_law(self):
        shares = [STEADY.product_share(rank) for rank in range(3)]
        assert shares[0] == pytest.approx(2 * shares[1]) == pytest.approx(3 * shares[2])
        assert sum(STEADY.product_share(rank) for rank in range(PRODUCTS)) == pytest.approx(1)


class TestALoad:
    def test_of_all_products_is_the_sum_of_the_loads_of_each(self):
        for has_caches in (False, True):
            load = Load(STEADY, 100_000, has_caches=has_caches)
            each = sum(load.of_rank(PAGE, rank) for rank in range(PRODUCTS))
            assert load.of_all(PAGE) == pytest.approx(each, rel=0.001)

    def test_behind_caches_is_less_where_pages_may_be_kept(self):
        bare, cached = (Load(STEADY, 100_000, has_caches=kept) for kept in (False, True))
        assert cached.of_rank(PAGE, 0) < bare.of_rank(PAGE, 0)
        assert cached.of_rank(ORDER, 0) == bare.of_rank(ORDER, 0)


class TestAPartition:
    def test_of_a_product_is_asked_for_by_requests_about_it(self):
        load = Load(STEADY, 10_000, has_caches=False)
        asked = 10_000 * STEADY.share(PAGE) * STEADY.product_share(0) * 2
        assert times_of_limit(MEASURED, load)[READ] == pytest.approx(asked / 3_000)

    def test_of_all_is_divided_among_its_shards(self):
        load = Load(STEADY, 10_000, has_caches=False)
        asked = 10_000 * STEADY.share(ORDER)
        assert times_of_limit(MEASURED, load)[WRITE] == pytest.approx(asked / 1_000 / 4)

    def test_is_described_without_the_product(self):
        assert PRODUCT.in_words(READ) == "reads of PRODUCT#<product> in comments.all"


@pytest.mark.slow
@pytest.mark.real_engine
@pytest.mark.usefixtures("dynoxide")
def test_the_command_measures_every_kind_of_request():
    out = StringIO()
    call_command("bench", "scale", stdout=out)
    for kind in KINDS:
        assert f"| {kind.name} " in out.getvalue()
    assert "writes of COUNTS#OPEN#* in shop" in out.getvalue()
