"""Addresses of the front page, of products with their comments, and of single comments."""

from django.urls import include, path

from comments import home_views, views
from comments.posting import delete_views, detect_views, edit_views, post_views
from comments.profiles import views as profile_views
from comments.rankings import views as ranking_views

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
    path("products/<id:product_id>/most-helpful/", ranking_views.most_helpful, name="most_helpful"),
    path("products/<id:product_id>/comments/new/", post_views.new, name="new_comment"),
    path("", include("comments.thread_urls")),
    path("comments/edit/<id_with_slashes:comment_id>/", edit_views.edit, name="edit_comment"),
    path(
        "comments/delete/<id_with_slashes:comment_id>/",
        delete_views.delete,
        name="delete_comment",
    ),
    # Of two that fit, the address that is made is the last one.
    path("comments/~/<id_with_slashes:comment_id>/", views.comment, name="comment"),
    path("comments/<plain_comment_id:comment_id>/", views.comment, name="comment"),
    path("languages/detect/", detect_views.detect, name="detect_language"),
    path("users/<id:username>/", profile_views.profile, name="profile"),
]
