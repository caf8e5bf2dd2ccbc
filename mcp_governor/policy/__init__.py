"""Tiers, version steps, deprecation windows, acceptances: if a release may go out as it is.

Here lives what is judged of changes and versions together, the registry manifest and the contract document included.
What changed comes from ``change``, what was announced from ``changelog``.
"""
