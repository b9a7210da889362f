"""The page of the parts that pages are made of."""

from http import HTTPStatus

import pytest
from django.test import Client
from django.urls import path

from config.urls import urlpatterns as of_the_site
from dynapages.calls import metered
from shop.parts import parts
from tests.support.markup import read_markup

urlpatterns = [*of_the_site, path("parts/", parts)]


@pytest.fixture
def with_debug(settings):
    settings.ROOT_URLCONF = __name__


def test_is_there_with_debug_alone():
    assert Client().get("/parts/").status_code == HTTPStatus.NOT_FOUND


@pytest.mark.usefixtures("with_debug")
class TestTheParts:
    def test_are_those_that_pages_use(self):
        page = read_markup(Client().get("/parts/").content.decode()).one(id="main")
        for part in ("tabs", "tiles", "orders", "form", "messages", "empty"):
            assert page.all(class_=part), part

    def test_read_nothing(self):
        with metered() as meter:
            Client().get("/parts/")
        assert meter.total.calls == 0
