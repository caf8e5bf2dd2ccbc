"""Checks in Python, one module per family; a rule file names its check as ``module.function``."""
