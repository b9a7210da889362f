"""Addresses of comments; a comment's id is last, as it may hold slashes."""

from django.urls import path

from comments import views
from comments.moderation import views as moderation_views
from comments.posting import views as posting_views
from comments.profiles import views as profile_views
from comments.rankings import views as ranking_views
from comments.replies import views as reply_views
from comments.reports import views as report_views
from comments.store.comments import State
from comments.votes import views as vote_views

REPORTED, HELD, HIDDEN = ({"state": state} for state in (State.REPORTED, State.HELD, State.HIDDEN))

app_name = "comments"
urlpatterns = [
    path("rankings/most-loved/", ranking_views.most_loved, name="most_loved"),
    path(
        "rankings/recently-commented/", ranking_views.recently_commented, name="recently_commented"
    ),
    path("products/<id:product_id>/", views.product, name="product"),
    path(
        "products/<id:product_id>/comments/<str:languages>/<str:ratings>/",
        views.comments,
        name="list",
    ),
    path("products/<id:product_id>/most-helpful/", ranking_views.most_helpful, name="most_helpful"),
    path("products/<id:product_id>/comments/new/", posting_views.new, name="new_comment"),
    path(
        "comments/vote/<id_with_slashes:comment_id>/", vote_views.vote_comment, name="vote_comment"
    ),
    path(
        "comments/report/<id_with_slashes:comment_id>/", report_views.report, name="report_comment"
    ),
    path("staff/comments/", moderation_views.moderation, REPORTED, name="moderation"),
    path("staff/comments/hidden/", moderation_views.moderation, HIDDEN, name="hidden_comments"),
    path("staff/comments.csv", moderation_views.moderation_csv, REPORTED, name="moderation_csv"),
    path(
        "staff/comments/hidden.csv",
        moderation_views.moderation_csv,
        HIDDEN,
        name="hidden_comments_csv",
    ),
    path("staff/comments/held/", moderation_views.moderation, HELD, name="held_comments"),
    path(
        "staff/comments/held.csv", moderation_views.moderation_csv, HELD, name="held_comments_csv"
    ),
    path("staff/comments/decide/", moderation_views.decide_many, name="decide_comments"),
    path("staff/authors/<username:username>/", moderation_views.block, name="block_author"),
    path(
        "staff/comments/decide/<id_with_slashes:comment_id>/",
        moderation_views.decide,
        name="decide_comment",
    ),
    path(
        "staff/comments/feature/<id_with_slashes:comment_id>/",
        moderation_views.feature_comment,
        name="feature_comment",
    ),
    path(
        "staff/comments/reply/<id_with_slashes:comment_id>/",
        reply_views.reply,
        name="reply_to_comment",
    ),
    path("comments/edit/<id_with_slashes:comment_id>/", posting_views.edit, name="edit_comment"),
    path(
        "comments/delete/<id_with_slashes:comment_id>/", posting_views.delete, name="delete_comment"
    ),
    # Of two that fit, the address that is made is the last one.
    path("comments/~/<id_with_slashes:comment_id>/", views.comment, name="comment"),
    path("comments/<plain_comment_id:comment_id>/", views.comment, name="comment"),
    path("languages/detect/", posting_views.detect, name="detect_language"),
    path("users/<username:username>/", profile_views.profile, name="profile"),
]
