"""Analysis of finished games: a player's preference for every move, and its loss by a judge's scores."""
