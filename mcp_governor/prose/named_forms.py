"""Formats that have a name, in a word or a phrase: ISO 8601, ARN, "only letters and digits"; each with its pattern."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.form import Form
from mcp_governor.prose.form_makers import (
    COLOUR,
    DURATION_SAMPLE,
    GO_DURATION,
    ISSUE,
    ISSUE_SAMPLE,
    PHONE,
    REVISIONS,
    SCHEMES,
    SIGNS,
    STORED,
    airport,
    alphabet,
    always,
    code,
    coordinates,
    digits,
    hexadecimal,
    iso_time,
    literal,
    parts,
    schemes,
    styled,
    unix,
    uuid,
)
from mcp_governor.prose.guarded import Guarded

if TYPE_CHECKING:
    from collections.abc import Callable

_NO_NUMBER = lazy_pattern(r"\balphanumeric\b|\b(?:slug|name|key|uuid|url|alias|or)\b", re.IGNORECASE)
_BYTES = lazy_pattern(
    r"\b(?:bytes?|bytecode|calldata|ciphertext|data|hash|keys?|payload|signature|transactions?)\b", re.IGNORECASE
)
"""Words for what is written in hexadecimal digits, besides colours."""
_NOT_SO = lazy_pattern(r"\bnot\s(?:the|an?|its)\s[^.,;)\n]{1,40}", re.IGNORECASE)
"""What a thing is not: "Numeric id (not the key)"."""
_LETTERS = r"(?:-|\s)(?:letter|character|char|alpha)s?"
_N_WORD = r"two|three|four|five|six|eight|ten|twelve|\d{1,2}"
_OF_CODE = r"country|language|currency|region|state|airport|nationality"
KNOWN: tuple[tuple[Guarded, Callable[[re.Match[str], str], Form | None]], ...] = (
    (
        Guarded(
            r"\b(?:ISO[- ]?8601(?:-1)?|(?P<rfc>RFC[- ]?3339))"
            r"(?:[- ](?:format(?:ted)?\s|compliant\s|string\s|(?:in\s)?UTC\s){0,2}"
            r"(?P<kind>durations?|weeks?|intervals?|calendar|timestamps?|date[- /]?times?|date and|dates?|times?)?)?"
            r"|\bISO[- ](?P<kind2>timestamps?|date[- ]?times?|dates?|durations?|weeks?|time\sstrings?)\b"
            r"|\bISO[- ](?:format(?:ted)?|strings?|standard)\b(?!\s(?:code|country|language|currency))"
            r"|\b(?:dates?|times?|timestamps?)\s\(ISO\)",
            "iso",
            "rfc",
        ),
        iso_time,
    ),
    (
        Guarded(
            rf"\b(?P<size>two|three|2|3){_LETTERS},?\s(?:(?:ISO|lower-?case"
            rf"|upper-?case)\s)*(?:[\d-]{{1,8}}\s)?(?:alpha[- ]?[23]\s)?"
            rf"(?P<of>{_OF_CODE})(?:\s(?:codes?|abbreviations?))?\b"
            rf"|\bISO[- ]?(?P<standard>3166(?:-[12])?(?:,?[- ]alpha[- ]?[23])?|4217"
            rf"|639(?:-[123])?)\b(?:\s(?P<of2>{_OF_CODE}))?(?:\scodes?)?"
            rf"|\bISO[- ]?(?P<standard2>alpha[- ]?[23])\b|\bISO[- ]?2?\s(?P<of3>country|language|currency)\scodes?\b",
            "code",
            "iso",
            "letter",
            "char",
        ),
        code,
    ),
    (
        Guarded(
            r"\b(?P<body>IATA|ICAO)\b(?!\s?24)[^.\n]{0,20}?\bcodes?\b|\bcodes?\s\(?(?P<body2>IATA|ICAO)\b",
            "iata",
            "icao",
        ),
        airport,
    ),
    (
        Guarded(r"\b(?:BCP[- ]?47|IETF(?:\sBCP[- ]?47)?\slanguage|IETF\stags?)\b", "bcp", "ietf"),
        always("a BCP 47 language tag", "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", "English", "en_US"),
    ),
    (
        Guarded(
            r"\b(?:hex(?:adecimal)?\s(?:RGB|colou?rs?(?:\s(?:codes?|values?|strings?))?)|RGB\shex"
            r"|colou?rs?\s(?:in|as|\()\s?hex(?:adecimal)?)\b|#?\bRRGGBB\b",
            "hex",
            "rrggbb",
        ),
        hexadecimal,
    ),
    (
        Guarded(
            r"\b(?:in|with|use|of|must)\s(?:the\s|be\s)?(?:format\s)?[`'\"]?[a-z][a-z0-9+]{1,15}://[`'\"]?"
            r"(?:\sor\s[`'\"]?[a-z][a-z0-9+]{1,15}://[`'\"]?)?\s(?:form(?:at)?|prefix|scheme|protocol)\b",
            "://",
        ),
        schemes,
    ),
    (Guarded(r"\b(?P<n>two|three|four|2|3|4)\sdot[- ]separated\s(?:parts|segments|names)\b", "separated"), parts),
    (
        Guarded(
            rf"(?<!to\s)(?<!or\s)(?<![-–.\d])\b(?P<n>{_N_WORD})[- ](?:digits?(?P<no>)|(?:characters?\s|chars?\s"
            rf"|digits?\s)?(?P<hex>hex(?:adecimal)?)"
            r"(?:\s(?:characters?|chars?|digits?|strings?|ids?|hash|identifiers?))?)\b(?!\s(?:or|to|min|max"
            r"|after|colou?r))",
            "digit",
            "hex",
        ),
        lambda match, text: None if COLOUR.search(text) or "0x" in text else digits(match, text),
    ),
    (
        Guarded(r"\b(?:MongoDB|Mongo|hex(?:adecimal)?)\sObjectIds?\b|\bObjectIds?\s\(?(?:24|hex)", "objectid"),
        always("24 hexadecimal digits", "^[0-9a-fA-F]{24}$", "42", "my-project"),
    ),
    (
        Guarded(
            rf"\b(?:only\s(?:contains?\s|use\s)?(?:lower-?case\s"
            rf"|upper-?case\s)?(?:alphanumerics?(?:\scharacters)?|{SIGNS})"
            rf"(?:(?:,\s|\sand\s|,\sand\s|\sor\s|,\sor\s){SIGNS}){{1,4}}"
            rf"|(?:lower-?case\s|upper-?case\s)?(?:alphanumerics?(?:\scharacters)?|letters)(?:(?:,\s|\sand\s"
            rf"|,\sand\s|\splus\s){SIGNS}){{1,4}}\sonly"
            rf"|(?:must|should|can|may)\s(?:only\s)?(?:contain|be|use|consist\sof)\s(?:only\s)?(?:lower-?case\s"
            rf"|upper-?case\s)?"
            rf"(?:alphanumerics?(?:\scharacters)?|{SIGNS})(?:(?:,\s|\sand\s|,\sand\s|\sor\s|,\sor\s){SIGNS}){{1,4}}"
            r"|alphanumeric\s(?:characters\s)?only|only\salphanumeric(?:\scharacters)?)\b",
            "letters",
            "alphanumeric",
            "digits",
            "numbers",
            "hyphens",
            "dashes",
            "underscores",
            "periods",
            "dots",
        ),
        alphabet,
    ),
    (
        Guarded(
            r"\b(?:must|should|needs?\sto|has\sto|always"
            r"|strictly)\s(?:be\s)?(?:all\s)?(?:in\s)?(?P<must>upper-?case|lower-?case)(?=\s?[.,;)(]|\s?$|\sonly)"
            r"|\((?:all\s|in\s|must\sbe\s)?(?P<bracket>upper-?case|lower-?case)\)|\b(?P<only>upper-?case"
            r"|lower-?case)\sonly\b",
            "case",
        ),
        lambda match, _text: (
            Form("text in upper case", "^[^a-z]+$", wrong=("abc",))
            if (match["must"] or match["bracket"] or match["only"]).lower().startswith("upper")
            else Form("text in lower case", "^[^A-Z]+$", wrong=("ABC", "Abc"))
        ),
    ),
    (
        Guarded(
            r"\b(?:must\sbe|should\sbe|use|in|as)\s(?:an?\s|valid\s)?(?P<style>(?:UPPER"
            r"|SCREAMING)[_-]SNAKE[_-]CASE|snake[_-]case|kebab[- ]case)\b"
            r"|\((?P<b>snake_case|kebab-case|UPPER_SNAKE_CASE)\)",
            "_case",
            "-case",
            "b case",
        ),
        lambda match, _text: styled(match["style"] or match["b"]),
    ),
    (
        Guarded(
            r"\bmatch(?:es|ing)?\s(?:the\s)?(?:following\s)?(?:regex(?:p)?|pattern|regular\sexpression)?\s?:?\s?"
            r"[`'\"/]?(?P<regex>\^[^\s`'\"]{3,80}\$)"
            r"|(?:\bmatch(?:es|ing)?\s(?:the\s)?(?:regex(?:p)?|pattern|regular\sexpression)\s?:?"
            r"|(?:[.(;]\s?|^)(?:pattern|regex)(?:\sper\sitem)?\s?[:=])\s?"
            r"[`'\"/]?(?P<open>[\w\-:/]{0,16}\[[^\s`'\"]{3,80}(?:\]|[+*}]))(?=$|[\s`'\".,;)/])",
            "match",
            "pattern",
            "regex",
        ),
        lambda match, _text: literal(match["regex"] or f"^{match['open']}$"),
    ),
    (
        Guarded(
            r"\bsemver\b(?!\s(?:range|constraint))|\bsemantic version\b(?!s|ing|\s(?:range|constraint))",
            "semver",
            "semantic version",
        ),
        always("a semantic version", r"^\d+\.\d+\.\d+([\-+].+)?$", "latest", "1.2"),
    ),
    (
        Guarded(
            r"\bcron(?:tab)?\s(?:expressions?|format|syntax|strings?|schedules?)\b|\b[56][- ]field\scron\b|\(cron\)",
            "cron",
        ),
        always("a cron expression", r"^(@[a-z]+|\S+(\s+\S+){4,6})$", "every day at 9", "daily"),
    ),
    (
        Guarded(
            r"^(?:the\s|an?\s)?(?:(?!or\s)[a-z]{1,16}\s){0,3}(?:UU|GU)ID\b(?!\sor\b|s\b|/)|\((?:UU|GU)ID(?:\sformat"
            r"|\sv\d)?\)(?!\sor\b)|\b(?:UU|GU)ID\sformat"
            r"|\bUUID\s?v\d\b(?!\sor\b)|\b(?:must\sbe|is|use)\san?\s(?:valid\s|standard\s)?(?:UU|GU)ID\b(?!\sor\b)",
            "uuid",
            "guid",
        ),
        uuid,
    ),
    (
        Guarded(r"^(?:the\s|your\s)?(?:(?!or\s)[a-z']{1,16}\s){0,3}e-?mail(?:\saddress)\b(?!\sor\b|es\b|/)", "mail"),
        always("an e-mail address", r"^[^@\s]+@[^@\s]+$", widespread=True),
    ),
    (
        Guarded(
            r"^(?:[Tt]he\s|[Aa]n?\s)?(?:(?!or\s)[A-Za-z]{1,16}\s){0,3}(?:ARN|Amazon\sResource\sName)\b(?!\sor\b|s\b|/)",
            "arn",
            "amazon",
            ignore_case=False,
        ),
        always("an ARN", "^arn:", widespread=True),
    ),
    (
        Guarded(r"\b(?:single\sidentifier|one\sname|a\sname)\b[^.\n]{0,20}\bno\sdots\b", "no dots"),
        always("a name without dots", r"^[^.]+$", "public.orders"),
    ),
    (
        Guarded(
            r"\b(?:unix|epoch|posix)(?:[- ]epoch)?(?:[- ]time(?:[- ]?stamps?)?|\stimestamps?"
            r"|\sseconds)?\s?\(?,?\s?(?:in\s)?(?P<milli>milliseconds|millis|ms)?\b",
            "unix",
            "epoch",
            "posix",
        ),
        unix,
    ),
    (
        Guarded(
            r"^(?:the\s|full\s)?(?:(?!or\s)[a-z]{1,16}\s){0,3}SHA(?:-?1)?\b(?!\s?(?:or\b|/|-|256|512))(?=\s(?:hash|of"
            r"|to)\b|\s?[.,(]|$)",
            "sha",
        ),
        lambda _match, text: None if REVISIONS.search(text) else Form("a SHA", "^[0-9a-fA-F]{4,64}$", True),
    ),
    (
        Guarded(
            r"\b(?:as|in)\s(?:an?\s)?hex(?:adecimal)?(?:\s(?:string|format)\b|-encoded\b)"
            r"|^(?:the\s)?(?:[a-z]{2,12}\s){0,3}\(hex(?:adecimal)?(?:\sstring)?\)",
            "hex",
        ),
        lambda _match, text: (
            None
            if COLOUR.search(text) or not _BYTES.search(text)
            else Form("hexadecimal digits", "^(0x)?[0-9a-fA-F]*$", True, ("some text", "12.5"))
        ),
    ),
    (Guarded(r"\bE\.164\b", "e.164"), always("an E.164 number", r"^\+[1-9]\d{1,14}$", "030 123456")),
    (
        Guarded(
            r"\binternational\s(?:phone\s(?:number\s)?)?format\b|\bwith\s(?:the\s)?(?:country\scode|\+\sprefix)\b",
            "international",
            "with",
        ),
        lambda _match, text: (
            Form("a phone number with + and country code", r"^\+\d", wrong=("030 123456",))
            if PHONE.search(text) and ("+" in text)
            else None
        ),
    ),
    (
        Guarded(r"\bIANA\s(?:time\s?zone|tz)\b|\btz\sdatabase\sname\b", "iana", "tz "),
        always("an IANA time zone", r"^[A-Za-z][A-Za-z0-9_+\-]*(/[A-Za-z0-9_+\-]+)*$", widespread=True),
    ),
    (
        Guarded(
            r"^(?:the\s|an?\s)?(?:(?!or\s)[a-z]{1,16}\s){0,3}base64(?:[- ]encoded)?\b(?!\s(?:or|data\sUR[IL])\b)",
            "base64",
        ),
        always("Base64", r"^[A-Za-z0-9+/_\-\s]*=*\s*$", widespread=True),
    ),
    (
        Guarded(
            r"\b(?P<first>lat(?:itude)?|lon(?:g(?:itude)?)?|lng)[>}]?\s?,\s?[<{]?(?P<second>lat(?:itude)?"
            r"|lon(?:g(?:itude)?)?|lng)\b(?!\s?,)"
            r"|(?P<cn>经度\s?[,，、]\s?纬度|纬度\s?[,，、]\s?经度)",
            "lat",
            "lon",
            "lng",
            "纬",
        ),
        lambda match, text: coordinates(match, text),
    ),
    (
        Guarded(
            r"\b(?P<box>(?:min|west|left|south|sw)_?[\w]{0,4}(?:,\s?[a-z][\w]{1,8}){3})\b",
            "min",
            "west",
            "south",
            "left",
        ),
        lambda match, _text: Form(
            match["box"].replace(" ", ""), r"^-?\d+(\.\d+)?(,\s?-?\d+(\.\d+)?){3}$", wrong=("Berlin",)
        ),
    ),
    (Guarded(r"\bJSONPath\sexpression\b", "jsonpath"), always("a JSONPath", r"^\$", widespread=True)),
    (
        Guarded(
            r"(?<!HMAC-)(?<!HMAC\s)\b(?:SHA-?256|(?P<n>64)[- ]char(?:acter)?)\s(?:hex\s)?(?:hash|digest|checksum)\b",
            "sha",
            "64",
        ),
        lambda _match, text: (
            None
            if "base64" in text.lower()
            else Form("a SHA-256 in hexadecimal digits", "^[0-9a-fA-F]{64}$", wrong=("main",))
        ),
    ),
    (
        Guarded(r"\b40[- ]char(?:acter)?\s(?:\w{1,12}\s){0,2}(?:SHA|hash)\b", "40"),
        always("40 hexadecimal digits", "^[0-9a-fA-F]{40}$", "main", "1a2b3c4"),
    ),
    (
        Guarded(
            r"\b0x[- ]prefix(?:ed)?\b|\bwith\s(?:a\s|the\s)?0x\sprefix\b|\(0x(?:\.\.\.|…)\)|\bstart(?:s"
            r"|ing)?\swith\s[`'\"]?0x\b|\b0x\sfollowed\sby\b",
            "0x",
        ),
        lambda _match, text: (
            Form("hexadecimal digits after 0x", r"^0x[0-9a-fA-F]+$", wrong=("vitalik.eth", "1234"))
            if not re.search(r"\bENS\b|\.eth\b|\bwith(?:out| or without)\s(?:an?\s|the\s)?0x\b", text)
            else None
        ),
    ),
    (
        Guarded(r"\bCIDR\s(?:block|notation|range|format)s?\b|\bin\sCIDR\b", "cidr"),
        always("a CIDR block", r"^[0-9A-Fa-f.:]+/\d{1,3}$", "10.0.0.0"),
    ),
    (
        Guarded(r"\bMAC\saddress\b", "mac address"),
        always("a MAC address", "^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$", "my-laptop", widespread=True),
    ),
    (
        Guarded(r"\bA1\s(?:notation|format|style|reference)\b", "a1 "),
        # Where cells are named, names of ranges, tables and sheets usually are taken as well.
        always("a range in A1 notation", r"^('.*|.*!.*|\S+)$", "row 1", "first column", widespread=True),
    ),
    (
        Guarded(r"\bDOI\b(?!s|\sor\b|\)?\s?(?:/|,))", "doi"),
        lambda _match, text: (
            Form("a DOI", r"10\.\d{4,9}/\S+$", wrong=("Attention is all you need",))
            if re.match(
                r"(?:the\s|an?\s|paper\s|digital\sobject\sidentifier\s?\(?)*DOI\b(?!\s?(?:or|,|/))", text, re.IGNORECASE
            )
            else None
        ),
    ),
    (
        Guarded(
            r"\b(?:issue|ticket|epic|parent|story|work\sitem|task|bug)(?:'s)?\s(?:keys?|identifiers?)\b",
            "key",
            "identif",
        ),
        lambda _match, text: (
            Form("a key such as AB-12", ISSUE, wrong=("12", "ab12")) if ISSUE_SAMPLE.search(text) else None
        ),
    ),
    (
        Guarded(
            r"\b(?:numeric|integer)\s(?:string|ids?|identifiers?)\b|\b(?:must\sbe|is)\snumeric\b"
            r"|\bdigits\sonly\b|\bonly\sdigits\b|\bnumber\sas\s(?:a\s)?string\b",
            "numeric",
            "integer",
            "digits",
            "number as",
        ),
        lambda match, text: (
            Form("digits", r"^-?\d+$" if "number" in match[0].lower() else r"^\d+$", wrong=("my-project",))
            if not _NO_NUMBER.search(_NOT_SO.sub("", text))
            else None
        ),
    ),
    (
        Guarded(
            r"\b(?:Go|Golang)(?:-style|'s)?\s(?:time\.)?duration\b|\bduration\s(?:string|format|expression)\b"
            r"|\bin\sduration\sformat\b",
            "duration",
        ),
        lambda _match, text: (
            Form("a duration such as 1h30m", GO_DURATION, wrong=("1 hour", "60"))
            if DURATION_SAMPLE.search(text) or "Go " in text
            else None
        ),
    ),
    (
        Guarded(
            r"^(?:the\s|full\s|complete\s|absolute\s){0,3}(?:(?!or\s)[a-z0-9]{1,16}\s){0,2}URI\b(?!s\b|/|-|\s(?:or"
            r"|pattern|path|template)\b)",
            "uri",
        ),
        lambda _match, text: None if STORED.search(text) else Form("a URI", r"^[A-Za-z][A-Za-z0-9+.\-]*:", True),
    ),
    (
        Guarded(
            r"^(?:the\s|full\s|complete\s|absolute\s|https?\s|target\s|web\s){0,3}(?:(?!or\s)[a-z]{1,16}\s){0,2}URL\b"
            r"(?!s\b|/|-|\s(?:or|pattern|path|parameter|slug|fragment|template|to\smatch|for\sthe\shyperlink)\b)",
            "url",
        ),
        lambda _match, text: None if SCHEMES.search(text) else Form("a URL", "^https?://", True),
    ),
)
