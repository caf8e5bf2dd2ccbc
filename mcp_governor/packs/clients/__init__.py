"""Dated limits of clients and providers."""
