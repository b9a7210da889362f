"""Pickup points, and the nearest ones to a place ("Geo-Hashing" of the pattern list)."""
