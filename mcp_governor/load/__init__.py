"""``tools/list`` under load: one probe, a sweep over concurrencies, and the concurrency that a server is good for."""
