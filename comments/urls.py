"""Addresses of products with their comments, and of single comments."""

from django.urls import path

from comments import views

urlpatterns = [
    path("products/<str:product_id>/", views.product, name="product"),
    path(
        "products/<str:product_id>/comments/<str:languages>/<str:ratings>/",
        views.comments,
        name="comments",
    ),
    path("comments/<path:comment_id>/", views.comment, name="comment"),
]
