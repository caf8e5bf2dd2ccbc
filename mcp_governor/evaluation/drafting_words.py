"""Words of drafted queries: what people say for the verbs and nouns of tool names, and requests for other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Several sentences for each verb, so that one of them can avoid the words of a description. {it} is the thing.
SENTENCES: Mapping[str, tuple[str, ...]] = {
    "read": ("What is in {it}?", "Can I see {it}?", "Open {it} and quote what it says."),
    "list": ("Which {them} are there?", "I need an overview of the {them}.", "What {them} do we have?"),
    "find": ("I am looking for {it}; where could it be?", "Can you look for {it}?", "Where would I find {it}?"),
    "create": ("I need a new {thing}.", "Set up a fresh {thing} for me.", "Could you make one more {thing}?"),
    "delete": ("Get rid of {it}, we do not need it.", "Throw {it} away.", "Please erase {it}."),
    "change": ("Something about {it} is wrong; please correct it.", "Could you adjust {it}?", "Rework {it} for me."),
    "send": ("Please pass {it} on.", "Can you get {it} out today?", "Forward {it} for me."),
    "add": ("Put {it} in as well.", "There is one more {thing} to go in.", "Could you include {it}?"),
    "move": ("{It} belongs somewhere else; bring it there.", "Relocate {it}, please."),
    "start": ("Can you get {it} going?", "Kick off {it} for me."),
    "stop": ("Put an end to {it}.", "Please halt {it}."),
    "run": ("Do {it} now and let me know how it went.", "Carry out {it} for me."),
    "compute": ("What does {it} come to?", "Work out {it} for me."),
    "compare": ("How does {it} differ?", "What is not the same about {it}?"),
    "check": ("Is everything in order with {it}?", "Take a look at {it}: any problems?"),
    "convert": ("I need {it} in another form.", "Turn {it} into something else I can use."),
    "toggle": ("Switch {it} over.", "Flip {it}, please."),
    "count": ("How many {them} do we have?", "What is the number of {them}?"),
    "": ("I need help with {it}.", "Can you take care of {it}?", "Something has to be done about {it}."),
}
"""Kind of verb → sentences; the last kind is for names without a known verb."""

VERBS: Mapping[str, str] = {
    verb: kind
    for kind, verbs in {
        "read": "get read fetch show view open retrieve describe inspect display return load download info status log",
        "list": "list enumerate browse ls all",
        "find": "search find query lookup look discover locate resolve grep",
        "create": "create new make generate build init initialize draft write compose render",
        "delete": "delete remove drop clear purge destroy erase uninstall reset",
        "change": "update edit set modify change patch rename replace configure assign put apply",
        "send": "send post publish submit share forward reply notify push upload",
        "add": "add append insert attach include register import commit",
        "move": "move copy transfer migrate switch checkout",
        "start": "start trigger launch open begin schedule enable activate deploy resume",
        "stop": "stop cancel abort close end disable pause terminate kill",
        "run": "run execute call invoke perform process simulate",
        "compute": "compute calculate sum estimate evaluate measure",
        "compare": "compare diff match",
        "check": "check validate verify test analyze analyse audit review lint ping",
        "convert": "convert transform translate parse format gzip compress extract export encode decode",
        "toggle": "toggle",
        "count": "count",
    }.items()
    for verb in verbs.split()
}
"""Verb of a name → kind of :data:`SENTENCES`."""

NOUNS: Mapping[str, tuple[str, ...]] = {
    "file": ("document",),
    "files": ("documents",),
    "directory": ("folder",),
    "directories": ("folders",),
    "repository": ("project",),
    "repo": ("project",),
    "repositories": ("projects",),
    "user": ("person", "colleague"),
    "users": ("people", "colleagues"),
    "message": ("note",),
    "messages": ("notes",),
    "issue": ("ticket", "bug report"),
    "issues": ("tickets", "bug reports"),
    "image": ("picture",),
    "images": ("pictures",),
    "email": ("letter",),
    "emails": ("letters",),
    "env": ("settings of the system",),
    "environment": ("setup",),
    "database": ("data store",),
    "table": ("list of records",),
    "tables": ("lists of records",),
    "page": ("sheet",),
    "pages": ("sheets",),
    "sum": ("total",),
    "diff": ("edits",),
    "log": ("history",),
    "logs": ("records of what happened",),
    "logging": ("messages of the system",),
    "time": ("hour",),
    "event": ("appointment",),
    "events": ("appointments",),
    "task": ("to-do",),
    "tasks": ("to-dos",),
    "project": ("undertaking",),
    "projects": ("undertakings",),
    "customer": ("client",),
    "customers": ("clients",),
    "url": ("web address",),
    "web": ("internet",),
    "info": ("details",),
    "metadata": ("details",),
    "config": ("settings",),
    "configuration": ("settings",),
    "branch": ("line of work",),
    "branches": ("lines of work",),
    "error": ("failure",),
    "errors": ("failures",),
    "metric": ("key figure",),
    "metrics": ("key figures",),
    "schema": ("layout",),
    "node": ("entry",),
    "nodes": ("entries",),
    "document": ("paper",),
    "documents": ("papers",),
    "docs": ("manual",),
    "documentation": ("manual",),
    "comment": ("remark",),
    "comments": ("remarks",),
}
"""Noun of a name → what a user may say instead."""

ELSEWHERE: tuple[str, ...] = (
    "Order me a large pizza with mushrooms.",
    "Which shoes go well with a grey suit?",
    "Sing me a lullaby.",
    "What should I plant on a shady balcony?",
    "Is this mole on my arm dangerous?",
    "Teach me three chords on the guitar.",
    "How long do I boil a soft egg?",
    "Recommend a novel for a rainy weekend.",
    "Who won the chess world championship in 1972?",
    "My dog refuses to eat; what now?",
    "Write a limerick about a lighthouse.",
    "What is a good name for a parrot?",
    "How do I fold a fitted sheet?",
    "Explain the offside rule to my grandmother.",
    "Which wine suits grilled trout?",
    "Help me get over a fear of flying.",
)
"""Requests that hardly any server serves; those that share a word with a tool are left out."""

VALUES: tuple[tuple[str, str], ...] = (
    ("url", "https://example.com/a"),
    ("email", "ana@example.com"),
    ("city", "Rome"),
    ("location", "Rome"),
    ("country", "Italy"),
    ("timezone", "Europe/Rome"),
    ("path", "notes/plan.txt"),
    ("file", "plan.txt"),
    ("date", "2026-05-01"),
    ("topic", "solar power"),
    ("query", "solar power"),
    ("branch", "feature-x"),
    ("title", "Apollo"),
    ("name", "Apollo"),
)
"""Part of the name of a required parameter → a value that a user may mention."""
