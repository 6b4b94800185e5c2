"""Lin and White 2009: *Spatial Processing Layer Effects on the Evolution of Neural Networks to Play Othello*."""
