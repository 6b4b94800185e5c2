"""Games looked at after they were played: what a player thinks of every move, and what a judge says it was worth."""
