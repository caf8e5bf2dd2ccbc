"""Schemas of tools as files: their names and bytes, what a folder of them holds, and how both differ from a surface.

``parity`` compares published schemas with derivations from a project's own Python types; ``hosted_models`` derives them
in the project's environment.
"""
