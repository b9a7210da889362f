"""Scale on paper: drawn traffic against measured units and the published limits of partitions."""
