"""Addresses of the catalogue, of orders, and of the basket."""

from django.urls import include, path

from shop.activity import views as activity_views
from shop.api_keys import views as api_key_views
from shop.basket import views as basket_views
from shop.catalogue import views
from shop.catalogue.drawings import drawing
from shop.orders import move_views as order_move_views
from shop.orders import undo_views
from shop.orders import views as order_views
from shop.orders.queue import views as queue_views
from shop.pickup import views as pickup_views
from shop.webhooks import views as webhook_views

_CUSTOMER = "staff/customers/<id:username>/"

urlpatterns = [
    path("categories/", views.categories, name="categories"),
    path("categories/<id:slug>/", views.category, name="category"),
    path("products/", views.products, name="products"),
    path("search/", views.search, name="search"),
    path("search/suggestions/", views.suggestions, name="suggestions"),
    path("products/<id:product_id>/drawing.svg", drawing, name="drawing"),
    path("products/<id:product_id>/also-bought/", views.also_bought, name="also_bought"),
    path("basket/", basket_views.basket, name="basket"),
    path("basket/add/", basket_views.add, name="basket_add"),
    path("basket/remove/", basket_views.remove, name="basket_remove"),
    path("basket/change/", basket_views.change, name="basket_change"),
    path("basket/order/", basket_views.checkout, name="checkout"),
    path("basket/place/", basket_views.place, name="place_order"),
    path("orders/", order_views.orders, name="orders"),
    path("orders/<id:order_id>/", order_views.order, name="order"),
    path("orders/<id:order_id>/move/", order_move_views.move, name="move_order"),
    path("orders/<id:order_id>/again/", basket_views.again, name="order_again"),
    path("orders/<id:order_id>/review/", order_views.review_order, name="review_order"),
    path("orders/<id:order_id>/cancel/", order_move_views.cancel, name="cancel_order"),
    path("orders/<id:order_id>/return/", order_move_views.send_back, name="return_order"),
    path("orders/<id:order_id>/pickup/", pickup_views.pickup, name="pickup"),
    path("orders/<id:order_id>/pickup/choose/", pickup_views.choose_pickup, name="choose_pickup"),
    path("orders/<id:order_id>/pickup/forget/", pickup_views.forget_pickup, name="forget_pickup"),
    path("staff/products/new/", views.edit_product, name="new_product"),
    path("staff/products/<id:product_id>/edit/", views.edit_product, name="edit_product"),
    path("staff/categories/new/", views.edit_category, name="new_category"),
    path("staff/categories/<id:slug>/edit/", views.edit_category, name="edit_category"),
    path("staff/activity/", activity_views.activity, name="activity"),
    path("staff/api-keys/", api_key_views.api_keys, name="api_keys"),
    path("staff/api-keys/<id:key_id>/revoke/", api_key_views.revoke, name="revoke_api_key"),
    path("staff/webhooks/", webhook_views.webhooks, name="webhooks"),
    path("staff/webhooks/<id:webhook_id>/test/", webhook_views.send_test, name="test_webhook"),
    path("staff/webhooks/<id:webhook_id>/delete/", webhook_views.delete, name="delete_webhook"),
    path("", include("shop.sitemap.urls")),
    path("staff/orders/", queue_views.queue, name="staff_orders"),
    path("staff/find/", queue_views.find, name="staff_find"),
    path("staff/orders.csv", queue_views.queue_csv, name="staff_orders_csv"),
    path("staff/activity.csv", activity_views.activity_csv, name="activity_csv"),
    path("staff/orders/move/", queue_views.move_selected, name="move_orders"),
    path("staff/orders/undo/", undo_views.take_back, name="undo_moves"),
    path("staff/orders/all/", queue_views.move_all, name="move_all_orders"),
    path(
        "staff/products/<id:product_id>/orders/", queue_views.product_orders, name="product_orders"
    ),
    path(f"{_CUSTOMER}orders/", order_views.customer_orders, name="staff_customer_orders"),
    path(
        f"{_CUSTOMER}orders.csv", order_views.customer_orders_csv, name="staff_customer_orders_csv"
    ),
]
