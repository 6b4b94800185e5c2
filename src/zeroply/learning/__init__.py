"""Learning: everything that fits, trains or evolves; all of it long work that is a run."""
