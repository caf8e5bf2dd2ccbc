"""Room for `load probe` and `load sweep`: tools/list under load. Still empty."""
