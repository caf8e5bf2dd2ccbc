"""Checks in Python, one module per family; a rule file names its check as ``module.function``.

A check takes what its rule's ``on`` names and yields places with facts; sentences, severities and options stand in the
rule file. What several checks need to know stands in ``linting``.
"""
