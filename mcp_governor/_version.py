"""The one place that holds the tool's version."""

__version__ = "0.1.0"
