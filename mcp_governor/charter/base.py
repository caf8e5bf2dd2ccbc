"""Common parts of the envelopes of all charter versions: construction and serialisation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetCoreSchemaHandler, model_validator
from typing_extensions import TypeVar

from mcp_governor.charter import facts
from mcp_governor.charter.envelope import envelope_breaches
from mcp_governor.charter.trust import expected_confidence

if TYPE_CHECKING:
    from mcp_types import CallToolResult
    from pydantic_core import CoreSchema

DataT = TypeVar("DataT", default=Any)
KindT = TypeVar("KindT", bound=str, default=str)


def _publish(schema: dict[str, Any]) -> None:
    """Make a published schema require every field, stay open, and omit redundant keywords.

    Each response contains all fields, so every field is required. A minor version may add optional fields, so a client
    that validates against a cached schema must not reject them. Titles and descriptions are removed, because the schema
    is part of every ``tools/list``, once per tool, and the charter explains the fields.
    """
    for key in ("additionalProperties", "description", "title"):
        schema.pop(key, None)
    properties = schema.get("properties", {})
    for item in properties.values():
        item.pop("title", None)
    schema["required"] = list(properties)


NULL_AS_EMPTY = BeforeValidator(lambda value: [] if value is None else value)
"""Reads null as an empty list where the schema has a list; a missing key counts as null."""


class CharterModel(BaseModel):
    """Base of all charter models: immutable, no unknown keys, and an open published schema."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_publish)

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """A short name for messages, which a list of error kinds would make unreadable."""
        names = [getattr(param, "__name__", "") for param in params]
        shown = ", ".join(name for name in names if name and name != "Literal")
        return f"{cls.__name__}[{shown}]" if shown else cls.__name__


class Inlined(CharterModel):
    """A model that is published inline: its name under ``$defs`` would contain its list of error kinds."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema: Any = dict(handler.resolve_ref_schema(handler(source)))
        schema.pop("ref", None)
        return cast("CoreSchema", schema)


class Envelope(CharterModel, Generic[DataT, KindT]):
    """Base of the response envelopes; use ``ToolResponse`` of a charter version.

    The constructor checks every invariant that concerns the envelope alone (charter, principles 1, 3 and 4); a
    violation is a ``pydantic.ValidationError`` that lists all of them. If the provenance has both trust axes and no
    confidence is given, the confidence is derived.
    """

    version: ClassVar[str] = facts.LATEST
    """The charter version of this model, ``major.minor``."""

    @model_validator(mode="before")
    @classmethod
    def _derive(cls, values: Any) -> Any:
        if not isinstance(values, dict) or values.get("confidence") is not None:
            return values
        plain = {**values, "provenance": _plain(values.get("provenance")), "data": _items(values.get("data"))}
        derived = expected_confidence(plain)
        return values if derived is None else {**values, "confidence": derived}

    @model_validator(mode="after")
    def _keeps_the_charter(self) -> Self:
        wire = {name: _plain(getattr(self, name)) for name in type(self).model_fields if name != "data"}
        wire["data"] = _items(self.__dict__["data"])
        # The model's own Literals restrict kinds and reasons, so that authors can add theirs.
        breaches = envelope_breaches(wire, kinds=None, reasons=None)
        if breaches:
            raise ValueError(" ".join(f"{breach.message} ({breach.rule})" for breach in breaches))
        return self

    @classmethod
    def success(cls, data: DataT, **fields: Any) -> Self:
        """The tool ran and returns the requested data; ``fields`` are other fields of the envelope."""
        return cls.model_validate({"status": "success", "data": data, **fields})

    @classmethod
    def empty(cls, data: DataT | None = None, **fields: Any) -> Self:
        """The tool ran and nothing matched, which is not an error."""
        return cls.model_validate({"status": "empty", "data": data, **fields})

    @classmethod
    def partial(cls, data: DataT | None, **fields: Any) -> Self:
        """The tool ran and the data has caveats."""
        return cls.model_validate({"status": "partial", "data": data, **fields})

    @classmethod
    def fail(cls, kind: KindT, message: str, **recovery: Any) -> Self:
        """The tool could not process the call.

        Args:
            kind: a registered error kind.
            message: one sentence that says what failed and why.
            recovery: fields of ``Recovery`` with what to try next; at least one of them. From charter 1.2 on also
                ``anchor_entity``, which is a field of the error.
        """
        return cls.model_validate({"status": "error", "error": error_fields(kind, message, recovery)})

    @classmethod
    def output_schema(cls) -> dict[str, Any]:
        """The JSON Schema to publish as a tool's ``outputSchema`` (charter, "Transport integration").

        Servers that read the return annotation publish the same schema on their own.
        """
        return cls.model_json_schema()

    def to_wire(self) -> dict[str, Any]:
        """The envelope as JSON, with every key present."""
        return self.model_dump(mode="json", by_alias=True)

    def to_result(self) -> dict[str, Any]:
        """The whole ``tools/call`` result as JSON: ``structuredContent``, its text mirror, and no error flag.

        An error or a refusal is a response of the tool, not a failure of the call, so ``isError`` is false (charter,
        "Transport integration").

        Raises:
            ValueError: the data contains a number that JSON does not have (NaN, infinity).
        """
        wire = self.to_wire()
        text = json.dumps(wire, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return {"content": [{"type": "text", "text": text}], "structuredContent": wire, "isError": False}

    def to_call_tool_result(self) -> CallToolResult:
        """:meth:`to_result` as the SDK's type, which handlers of low-level servers return.

        Raises:
            ImportError: the MCP SDK (version 2) is not installed.
        """
        from mcp_types import CallToolResult

        return CallToolResult.model_validate(self.to_result())


def error_fields(kind: str, message: str, recovery: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """An error from the arguments of ``fail`` and ``refuse``, which mix the fields of the error and its recovery."""
    outer = {"anchor_entity": recovery["anchor_entity"]} if "anchor_entity" in recovery else {}
    inner = {key: value for key, value in recovery.items() if key not in outer}
    return {"kind": kind, "message": message, "recovery": inner, **outer, **fields}


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else value


def _items(data: Any) -> Any:
    """The parts of the data that the invariants read: trust axes and redaction marks of the items."""
    if isinstance(data, list | tuple):
        return [_marks(item) for item in data]
    return None if data is None else _marks(data)


def _marks(item: Any) -> Any:
    fields = item if isinstance(item, dict) else getattr(item, "__dict__", {})
    return {
        key: value
        for key, value in fields.items()
        if key in ("inference_method", "validation_state") or str(key).startswith("redacted")
    }
