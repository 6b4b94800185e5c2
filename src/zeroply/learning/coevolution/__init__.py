"""Coevolution: nets that learn from playing each other only."""
