from demo.sample.catalogue import sample_catalogue
from shop.catalogue.queries import Category, CategoryNode, Product


class TestTheDrawingOfACategory:
    def test_is_that_of_its_slug(self):
        assert Category("kitchen", "Kitchen").drawing == "/static/tiles.svg#kitchen"

    def test_is_an_ancestors_where_it_has_none(self):
        node = CategoryNode("cookware", "Cookware", trail=(Category("kitchen", "Kitchen"),))
        assert node.drawing == "/static/tiles.svg#kitchen"

    def test_is_its_products_too(self):
        trail = (Category("kitchen", "Kitchen"), Category("cookware", "Cookware"))
        assert Product("pan", "Pan", trail=trail).drawing == "/static/tiles.svg#kitchen"
        assert Product("pan", "Pan").drawing == ""

    def test_is_none_for_a_category_that_nobody_drew(self):
        assert CategoryNode("cama-mesa", "Cama", trail=(Category("root", "Root"),)).drawing == ""

    def test_is_there_for_every_category_of_the_sample_shop(self):
        slugs = {category.slug for category in sample_catalogue().categories}
        roots = {slug for slug in slugs if Category(slug, "").drawing}
        assert len(roots) == 10
