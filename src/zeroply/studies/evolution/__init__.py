"""Studies of evolution with methods of today."""
