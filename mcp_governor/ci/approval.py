"""Who approved what: the label of a pull request counts for the breaks that were shown when it was set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.ci.api import ApiError, PullRequest
from mcp_governor.ci.comment import KEY, Memory, remembered
from mcp_governor.ci.job import GITHUB

if TYPE_CHECKING:
    from mcp_governor.ci.job import Job


class Approval(Struct, frozen=True):
    """What is approved before the check has run.

    Attributes:
        everything: the label was set for what this run is about to show.
        keys: of the breaks that are approved besides (:func:`mcp_governor.checking.against.base_branch.approval_key`).
        labelled: the pull request has the label.
        remark: what could not be found out, for the log; empty if all is known.
    """

    everything: bool = False
    keys: tuple[str, ...] = ()
    labelled: bool = False
    remark: str = ""


def find_approval(job: Job, label: str, name: str) -> Approval:
    """Find out what the labels of a pull request approve.

    The label approves what our comment shows as not approved when it is set, about the commit of this run. Without a
    comment it approves what this run shows, if it was set after the push that the run is about.
    ``LABEL:KEY`` approves exactly the breaks that have this key, whenever it was set.
    """
    labels, live, remark = _labels(job)
    prefix = f"{label}:"
    keys = tuple(one.removeprefix(prefix) for one in labels if one.startswith(prefix))
    keys = tuple(key for key in keys if KEY.fullmatch(key))
    labelled = label in labels
    if not labelled:
        lost = job.rerun and not live and label in job.labels
        text = f'The label "{label}" does not count when a job is run again: it may have been removed, and {remark}.'
        return Approval(keys=keys, remark=text if lost else "")
    if job.system != GITHUB:
        text = f'The label "{label}" does not say which breaks it approves: use the one that the report names.'
        return Approval(keys=keys, labelled=True, remark=text)
    memory: Memory | None = None
    if live:
        try:
            memory = remembered(job, name)
        except ApiError as error:
            # The comment may show less than this run does: nothing is approved unseen.
            return Approval(
                keys=keys, labelled=True, remark=f"The comment with what is approved cannot be read ({error})."
            )
    set_now = job.action == "labeled" and job.label in (label, "")
    if memory is not None:
        # What the comment shows now may be of a later push, and what it showed after the label was set nobody saw.
        shown = set_now and not job.rerun and memory.commit == job.head and "" < memory.written <= job.happened
        return Approval(keys=(*keys, *memory.approved, *(memory.asked if shown else ())), labelled=True)
    # The event has the labels of the push: one that is there now and was not there then was set after it. And a pull
    # request gets into the queue with a check that passed.
    everything = set_now or job.in_queue or (live and label not in job.labels)
    return Approval(everything, keys, True, "" if live else f"The labels of the event count: {remark}.")


def _labels(job: Job) -> tuple[tuple[str, ...], bool, str]:
    """The labels; if they are those of now, and otherwise why not. An old event approves nothing."""
    of_event = () if job.rerun else job.labels
    if job.system != GITHUB or not (job.token and job.repository):
        return of_event, False, "there is no token to read the labels"
    try:
        return PullRequest(job).labels(), True, ""
    except ApiError as error:
        why = f"the labels cannot be read ({error}); the job needs the permission pull-requests: read"
        return of_event, False, why
