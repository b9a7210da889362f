"""The queue of open orders: its pages, moves of many orders, and what staff look for."""
