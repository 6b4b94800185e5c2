"""Architectures as graphs of layers, one file per family."""
