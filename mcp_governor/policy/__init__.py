"""Tiers, version steps, deprecation windows, acceptances: whether a release may go out as it is."""
