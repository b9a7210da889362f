"""Pickup points, and the nearest ones to a place ("Geo-Hashing" of the pattern list).

===========  ====================================================================
coordinates  a place on the sphere, and the distance between two
cells        geohash cells: how near and how far what is in one can be
points       a pickup point, and the items it is stored as
places       where zip prefixes are; what a visitor types to say where they are
directory    how many points there are in each area and cell: exact counts
frontier     cells that a search has not read yet, the nearest first
search       the nearest points, exactly, from the nearest cells outwards
queries      reads of pages
writing      writes: many points at once
choosing     the pickup point of an order
listing      the nearest points as their page shows them
explaining   EXPLAIN for a search
imports      from files to points
sample       points for the sample shop
integrity    the check of points, cells and counts
===========  ====================================================================
"""
