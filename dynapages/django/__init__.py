"""The library for Django: pages of lists in requests, their forms, refusals, commands."""
