"""Shared by the shop's pages: days that lists are narrowed to."""
