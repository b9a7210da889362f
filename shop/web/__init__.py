"""What every page of the shop needs: who may see it, where a form leads, rate limits."""
