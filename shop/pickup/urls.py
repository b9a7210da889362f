"""Addresses of the pickup point of an order."""

from django.urls import path

from shop.pickup import views

urlpatterns = [
    path("orders/<id:order_id>/pickup/", views.pickup, name="pickup"),
    path("orders/<id:order_id>/pickup/choose/", views.choose_pickup, name="choose_pickup"),
    path("orders/<id:order_id>/pickup/forget/", views.forget_pickup, name="forget_pickup"),
]
