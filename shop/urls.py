"""Addresses of the catalogue."""

from django.urls import path

from shop import views

urlpatterns = [
    path("", views.home, name="home"),
    path("categories/<str:slug>/", views.category, name="category"),
]
