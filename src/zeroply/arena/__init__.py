"""Matches, leagues, ratings and openings."""
