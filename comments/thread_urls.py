"""Addresses of what is done with a comment; the comment's id ends each, as it may hold slashes."""

from django.urls import path

from comments.moderation import views as moderation_views
from comments.picks import views as pick_views
from comments.replies import views as reply_views
from comments.reports import views as report_views
from comments.votes import views as vote_views

urlpatterns = [
    path(
        "comments/vote/<id_with_slashes:comment_id>/",
        vote_views.vote_comment,
        name="vote_comment",
    ),
    path(
        "comments/report/<id_with_slashes:comment_id>/",
        report_views.report,
        name="report_comment",
    ),
    path("staff/comments/", moderation_views.reported, name="moderation"),
    path("staff/comments/hidden/", moderation_views.hidden, name="hidden_comments"),
    path(
        "staff/comments/decide/<id_with_slashes:comment_id>/",
        moderation_views.decide,
        name="decide_comment",
    ),
    path(
        "staff/comments/feature/<id_with_slashes:comment_id>/",
        pick_views.feature_comment,
        name="feature_comment",
    ),
    path(
        "staff/comments/reply/<id_with_slashes:comment_id>/",
        reply_views.reply,
        name="reply_to_comment",
    ),
]
