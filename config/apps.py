"""The composition root as a Django app."""

from django.apps import AppConfig
from django.core import checks

from config.checks import ALL


class ConfigConfig(AppConfig):
    """Has the system checks of the settings, and the commands that tie the apps together."""

    name = "config"

    def ready(self) -> None:
        """Register the checks."""
        for check in ALL:
            checks.register(check, "config")
