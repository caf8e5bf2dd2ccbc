"""Many servers in one run: which ones, each in a process of its own, and what is found only in several of them.

A list names the members (:mod:`.members`), a crew of workers reads them (:mod:`.crew`, :mod:`.worker`), each gives a
row (:mod:`.model`), and :mod:`.plural` says what no single row does. Rows and surfaces may be kept in a store
(:mod:`.kept`), whose workers on other machines do the same (:mod:`.queueing`).
"""
