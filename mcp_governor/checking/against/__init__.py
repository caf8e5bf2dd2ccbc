"""What a run compares with, and what it may believe of it.

One value (:class:`~.comparison.Comparison`) says what is checked, with which surface it is compared, where that comes
from, of which release it is, and under which configuration. Each module answers one question on the way to it:

- :mod:`.stage`: is the run between releases, or at one?
- :mod:`.last_release`: which release is the last one, and what did it publish?
- :mod:`.baseline`: which surface is compared with, and where is it?
- :mod:`.configuration`: what did that commit require of the server?
- :mod:`.base_branch`: which changes are new to the base branch of a pull request, and who approved them?
- :mod:`.pull_request`: what of the comparison does the pull request change itself?
- :mod:`.changed_recordings`: which of its recordings would mislead the next pull request?
- :mod:`.stale_recording`: does the recorded file still say what the server publishes?
- :mod:`.history`: what did earlier releases record?
"""
