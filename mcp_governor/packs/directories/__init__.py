"""Reasons for which connector directories reject a server."""
