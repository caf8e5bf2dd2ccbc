"""The main job: runs the stations in order and returns one report. Emits events, prints nothing.

This package defines the order of the stations for each command, their inputs (surface, baseline, changelog, options of
the configuration), and the report. The stations work on their own; ``report`` renders the result.
"""
