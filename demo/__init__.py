"""The sample shop: its data, how it is loaded, and the processes that show it."""
