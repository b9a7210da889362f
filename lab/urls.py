"""URLs of the laboratory, below ``/lab/``."""

from django.urls import path

from lab.page import lab

urlpatterns = [path("", lab, name="lab")]
