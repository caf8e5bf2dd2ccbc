"""What names of parameters imply about their values: one of a few, or anything the user likes."""

from __future__ import annotations

from mcp_governor.prose.words import word_set

KINDS = word_set("""
    access action aggregate aggregation alignment algorithm anchor audience backend behavior behaviour category channel
    chart choice class classification comparison compression condition context criteria density depth difficulty
    direction effect encoding encryption engine env environment event feedback filter flavor flavour format
    frequency grain granularity group grouping importance integration interval justify kind language layout level
    license logic match method metric mode model op operation operator option order orientation outcome period
    permission phase placement plan platform policy position precision preference preset priority privacy profile
    protocol provider purpose quality range reason relation relationship resolution result role rule scale schedule
    scheme scope severity setting shape side site size sort speed stage state status step strategy style subtype
    task template term theme tier tone topology transition transport trend trigger type unit urgency variant
    vendor verbosity view visibility vote weight wrap by
""")
"""Words for kinds: a parameter with such a name has one of a few values."""

FREE = word_set("""
    account address arn author body branch command code comment content currency cursor data date day dir directory
    email endpoint expression field file filename folder guid hash header host id identifier ids instruction key keyword
    keywords label message name note number owner page param password path pattern phone prefix prompt query question
    ref regex region repo repository request response script search selector sha since sql string subject suffix summary
    symbol table tag tags text thought ticker time timestamp timezone title token topic uid until uri url user username
    uuid value values version
""")
"""Words for things that everybody names freely: quoted values are closed only after "one of" and the like."""

MAPS = word_set("""
    aggregations aggs annotations answers args arguments attributes columns css entity extra fields filter filters form
    inputs item kwargs labels map mapping order params parameters prices projection properties props query record rename
    replacements responses row sort style styles tags translations update updates values weights where
""")
"""Words for objects whose keys mostly belong to the user: an example shows some of many, and only words or a shape with
types give all."""


def is_kind(word: str) -> bool:
    """True if a word is for a kind, in the singular or the plural."""
    last = word.rpartition("_")[2]
    singular = f"{last[:-3]}y" if last.endswith("ies") else last.removesuffix("s")
    return word in KINDS or singular in KINDS
