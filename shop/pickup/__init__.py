"""Pickup points, and the nearest ones to a place ("Geo-Hashing" of the pattern list).

===========  ====================================================================
coordinates  a place on the sphere, and the distance between two
cells        geohash cells, and bounds on the distance to what is in one
points       a pickup point, and its items
places       parsing of what a visitor types as a place; where prefixes of postcodes are
directory    exact counts of the points in each area and cell
frontier     the cells that a search has not read yet, the nearest first
search       the nearest points, exactly, from the nearest cells outwards
earlier      the place that a customer's earlier orders went to
queries      reads of pages
writing      writes of many points at once
choosing     the pickup point of an order
listing      the nearest points as their page shows them
explaining   EXPLAIN for a search
imports      from files to points, and to the places of postcodes
===========  ====================================================================
"""
