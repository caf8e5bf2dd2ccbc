"""Tiers, and the lists that return the tools of each."""
