"""The charter: descriptions, metadata and workflows."""
