"""The tool schema guide."""
