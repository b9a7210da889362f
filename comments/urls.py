"""Addresses of the front page, of products with their comments, and of single comments."""

from django.urls import path

from comments import home_views, ranking_views, views

urlpatterns = [
    path("", home_views.home, name="home"),
    path("rankings/most-loved/", ranking_views.most_loved, name="most_loved"),
    path(
        "rankings/recently-commented/",
        ranking_views.recently_commented,
        name="recently_commented",
    ),
    path("products/<id:product_id>/", views.product, name="product"),
    path(
        "products/<id:product_id>/comments/<str:languages>/<str:ratings>/",
        views.comments,
        name="comments",
    ),
    path(
        "products/<id:product_id>/most-helpful/", ranking_views.most_helpful, name="most_helpful"
    ),
    path("comments/<id_with_slashes:comment_id>/", views.comment, name="comment"),
]
