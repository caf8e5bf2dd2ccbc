"""Sample files: small, valid and the same in every run. Those with text contain the word "example"."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TEXT = "example\nThis is a line of text.\nAnother line.\n"
_DATA = {"name": "example", "items": [{"id": 1, "name": "one"}, {"id": 2, "name": "two"}]}
_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def _zipped(parts: Mapping[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 15, 12, 0, 0)), _HEAD + text)
    return out.getvalue()


def _office(main: str, kind: str, more: Mapping[str, str], overrides: Mapping[str, str]) -> bytes:
    """An Office Open XML package (ECMA-376 part 2): content types, the link to the main part, and the parts."""
    types = "".join(f'<Override PartName="/{part}" ContentType="{name}"/>' for part, name in overrides.items())
    defaults = (
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
    )
    link = f'<Relationship Id="rId1" Type="{_OFFICE}/{kind}" Target="{main}"/>'
    return _zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}content-types">{defaults}{types}</Types>',
            "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}relationships">{link}</Relationships>',
            **more,
        }
    )


def _workbook() -> bytes:
    rows: list[tuple[str, str | int]] = [("name", "value"), ("example", 1), ("other", 2), ("third", 3)]
    cells = []
    for number, row in enumerate(rows, 1):
        inner = "".join(
            f'<c r="{column}{number}" t="inlineStr"><is><t>{value}</t></is></c>'
            if isinstance(value, str)
            else f'<c r="{column}{number}"><v>{value}</v></c>'
            for column, value in zip("AB", row, strict=True)
        )
        cells.append(f'<row r="{number}">{inner}</row>')
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    sheets = '<sheet name="Sheet1" sheetId="1" r:id="rId1"/>'
    link = f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    return _office(
        "xl/workbook.xml",
        "officeDocument",
        {
            "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>{sheets}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}relationships">{link}</Relationships>',
            "xl/worksheets/sheet1.xml": (
                f'<worksheet xmlns="{_SHEET}"><sheetData>{"".join(cells)}</sheetData></worksheet>'
            ),
        },
        {"xl/workbook.xml": f"{kind}.sheet.main+xml", "xl/worksheets/sheet1.xml": f"{kind}.worksheet+xml"},
    )


def _document() -> bytes:
    body = "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in _TEXT.splitlines())
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return _office(
        "word/document.xml",
        "officeDocument",
        {"word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'},
        {"word/document.xml": kind},
    )


def _paper() -> bytes:
    """A page of PDF 1.4 with one line of text."""
    drawn = "BT /F1 12 Tf 72 720 Td (example) Tj ET"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, places = "%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    out += f"trailer\n<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n"
    return out.encode()


SEEDS: Mapping[str, Callable[[], bytes] | str] = {
    "notes.txt": _TEXT,
    "data.json": json.dumps(_DATA, indent=2) + "\n",
    "table.csv": "name,value\nexample,1\nother,2\n",
    "notes.md": f"# Example\n\n{_TEXT}",
    "page.html": "<!doctype html>\n<title>Example</title>\n<p>example</p>\n",
    "feed.xml": "<items><item>example</item></items>\n",
    "settings.yaml": "name: example\nitems: [1, 2]\n",
    "settings.toml": 'name = "example"\n',
    "script.py": 'def example():\n    """Say hello."""\n    return "hello"\n',
    "script.js": "export function example() {\n  return 'hello';\n}\n",
    "script.ts": "export function example(): string {\n  return 'hello';\n}\n",
    "query.sql": "SELECT 1 AS example;\n",
    "server.log": "2026-01-15T12:00:00Z INFO example\n",
    "image.png": lambda: base64.b64decode(_PNG),
    "workbook.xlsx": _workbook,
    "document.docx": _document,
    "paper.pdf": _paper,
}
"""File names and contents of the samples."""


def seed(name: str) -> bytes:
    """The content of one sample file."""
    content = SEEDS[name]
    return content.encode() if isinstance(content, str) else content()
