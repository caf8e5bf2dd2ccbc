"""Corrections: edits that satisfy a rule, their places in a file, and what they do to the values that are accepted."""
