"""The site's URLs, and below ``sql/`` the same pages of comments read from PostgreSQL."""

from django.urls import include, path

from lab.peers import views

PREFIX = "/sql"

urlpatterns = [
    path("", include("config.urls")),
    path("sql/products/<id:product_id>/", views.product),
    path("sql/products/<id:product_id>/comments/<str:languages>/<str:ratings>/", views.comments),
]
