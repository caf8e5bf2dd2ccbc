"""Text that does not belong in a description."""
