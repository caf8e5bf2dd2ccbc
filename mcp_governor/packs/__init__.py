"""The checks of the rules in Python, a folder a pack; a rule file names its check as ``pack.module.function``."""
