"""A walk through a project that followed docs/installing.md to its end; prints what it found."""

import json
import re
import sys

import django

django.setup()

from django.contrib.auth.models import User
from django.test import Client

from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue

ADDRESS = {
    "address-name": "Cara Example",
    "address-lines": "Sample Street 1",
    "address-postal_code": "10115",
    "address-city": "Berlin",
    "address-country": "DE",
}


def place_order(customer: Client) -> str:
    """Order two lamps, and return where that leads."""
    customer.post("/shop/basket/add/", {"product_id": "lamp", "quantity": "2"})
    checkout = text(customer, "/shop/basket/order/")
    intent = re.findall(r'name="order_id"\s+value="([^"]*)"', checkout)[0]
    return customer.post("/shop/basket/place/", {"order_id": intent, **ADDRESS})["Location"]


def browser(name: str, **details: bool) -> Client:
    made = Client(SERVER_NAME="localhost")
    made.force_login(User.objects.create_user(name, password="sample-shop-1", **details))
    return made


def text(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200, (url, answer.status_code, answer.content.decode()[:500])
    return str(answer.content.decode())


def main() -> dict[str, object]:
    put_catalogue(
        categories=[NewCategory("lighting", "Lighting", None)],
        products=[
            NewProduct(
                id="lamp",
                name="Lamp",
                category_slugs=("lighting",),
                unit_price_cents=995,
                currency="EUR",
            )
        ],
    )
    cara, sam = browser("Cara"), browser("sally", is_staff=True)
    told: dict[str, object] = {
        "statuses": {
            url: cara.get(url).status_code
            for url in (
                "/shop/categories/",
                "/shop/categories/lighting/",
                "/shop/products/lamp/also-bought/",
                "/shop/orders/",
                "/shop/sitemap.xml",
                "/shop/staff/orders/",
                "/reviews/products/lamp/",
                "/reviews/products/lamp/comments/~/~/",
                "/reviews/products/none/",
            )
        },
        "no_orders_yet": sam.get("/shop/staff/customers/Cara/orders/").status_code,
    }
    placed = place_order(cara)
    order_id = placed.rstrip("/").rpartition("/")[2]
    told["placed"] = placed.removesuffix(f"{order_id}/")
    told["own"] = order_id in text(cara, "/shop/orders/")
    told["queue"] = order_id in text(sam, "/shop/staff/orders/")
    move = f"/shop/orders/{order_id}/move/"
    moved = sam.post(move, {"from_status": "PLACED", "move": "APPROVED"})
    told["moved"] = [moved.status_code, "APPROVED" in text(cara, "/shop/orders/")]
    place_order(sam)
    told["found"] = sam.get("/shop/staff/find/?q=sally").headers.get("Location")
    told["activity"] = sam.get("/shop/staff/activity/").status_code
    return told


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main()))
