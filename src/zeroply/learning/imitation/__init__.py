"""Learning moves from expert games, after Liskowski, Jaśkowski and Krawiec, "Learning to Play Othello With Deep Neural
Networks" (IEEE Transactions on Games 2018): recipes, training, evaluation and bagging.
"""
