"""Addresses of the catalogue, of orders, and of the basket."""

from django.urls import include, path

from shop.activity import views as activity_views
from shop.basket import views as basket_views
from shop.catalogue import views
from shop.orders import queue_views
from shop.orders import views as order_views

urlpatterns = [
    path("categories/", views.categories, name="categories"),
    path("categories/<id:slug>/", views.category, name="category"),
    path("products/<id:product_id>/also-bought/", views.also_bought, name="also_bought"),
    path("basket/", basket_views.basket, name="basket"),
    path("basket/add/", basket_views.add, name="basket_add"),
    path("basket/remove/", basket_views.remove, name="basket_remove"),
    path("basket/place/", basket_views.place, name="place_order"),
    path("orders/", order_views.orders, name="orders"),
    path("orders/<id:order_id>/", order_views.order, name="order"),
    path("orders/<id:order_id>/move/", order_views.move, name="move_order"),
    path("staff/activity/", activity_views.activity, name="activity"),
    path("", include("shop.pickup.urls")),
    path("", include("shop.crawlers.urls")),
    path("staff/orders/", queue_views.queue, name="staff_orders"),
    path("staff/orders/ship/", queue_views.ship, name="ship_orders"),
    path(
        "staff/customers/<id:username>/orders/",
        order_views.customer_orders,
        name="staff_customer_orders",
    ),
]
