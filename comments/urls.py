"""Addresses of products with their comments, and of single comments."""

from django.urls import path

from comments import views

urlpatterns = [
    path("products/<id:product_id>/", views.product, name="product"),
    path(
        "products/<id:product_id>/comments/<str:languages>/<str:ratings>/",
        views.comments,
        name="comments",
    ),
    path("comments/<id_with_slashes:comment_id>/", views.comment, name="comment"),
]
