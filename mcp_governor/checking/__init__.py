"""The main job: stations in their order, one report. Emits events, prints nothing.

Here live the order of the stations for each command, what they are given (surface, baseline, changelog, options of the
configuration), and the report. A station does its work by itself; how a report looks is for ``report``.
"""
