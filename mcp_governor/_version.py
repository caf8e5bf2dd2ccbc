"""The only definition of the tool's version."""

__version__ = "0.1.0"
