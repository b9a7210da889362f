"""The read model of four indexes: its access patterns and its planner."""
