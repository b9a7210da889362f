"""URLs for search engines. A sitemap is for addresses beside it and below: so it is at the top."""

from django.urls import path

from shop.sitemap import views

urlpatterns = [
    path("robots.txt", views.robots, name="robots"),
    path("sitemap.xml", views.sitemap, name="sitemap"),
    path("sitemap-products.xml", views.sitemap_products, name="sitemap_products"),
]
