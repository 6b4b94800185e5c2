"""Liskowski, Jaśkowski and Krawiec 2018: *Learning to Play Othello with Deep Neural Networks*."""
