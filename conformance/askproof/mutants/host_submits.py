"""Mutants, to be written."""
