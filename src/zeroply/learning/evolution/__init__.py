"""Evolution of population nets against fixed opponents (Schaul and Schmidhuber 2009, section V-C)."""
