"""Decide if a release may be published: tiers, version steps, deprecation windows and acceptances.

This package judges changes and versions together, including the registry manifest and the contract document. Changes
come from ``change``, announcements from ``changelog``.
"""
