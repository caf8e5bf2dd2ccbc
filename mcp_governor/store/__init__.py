"""Surfaces and the facts about them, in a database that several runs and machines share.

A surface is stored once, under the digest of its text. With it are facts: which server published it, in which version
and configuration, when and how it was reached, and what became of it. A file of SQLite needs no set-up; PostgreSQL is
reached by its URL, with the same tables (:mod:`.tables`). :class:`.store.Store` reads and writes them.
"""
