"""Checks written in Python, one module per family; a rule file names its check as ``module.function``.

A check takes whatever the rule's ``on`` selects and yields places with facts. Sentences, severities and options belong
in the rule file, and knowledge shared by several checks in ``linting``.
"""
