"""The main job: stations in their order, one report. Emits events, prints nothing."""
