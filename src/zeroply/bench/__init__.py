"""Benchmarks: programs that measure and compare in one run, because machines differ and are noisy."""
