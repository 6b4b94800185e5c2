"""Schaul and Schmidhuber 2009: *A Scalable Neural Network Architecture for Board Games*."""
