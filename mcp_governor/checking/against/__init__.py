"""What a run compares with, and what it may believe of it.

One value (:class:`~.comparison.Comparison`) says what is checked, with which surface it is compared, where that comes
from, of which release it is, and under which configuration. Each module answers one question on the way to it:

- :mod:`.last_release`: is the run at a release, which one is the last one, what did it publish, and what did
  earlier ones record?
- :mod:`.baseline`: which surface is compared with, and where is it?
- :mod:`.configuration`: what did that commit require of the server?
- :mod:`.base_branch`: which changes are new to the base branch of a pull request, who approved them, and which of its
  recordings would mislead the next one?
- :mod:`.pull_request`: what of the comparison does the pull request change itself?
- :mod:`.stale_recording`: does the recorded file still say what the server publishes?
"""
