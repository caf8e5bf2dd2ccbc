"""Random surfaces, edits of them, and the same surface in another order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fuzz_edits import Editor, respelled
from fuzz_limits import beyond
from fuzz_schemas import Maker, copied, places

if TYPE_CHECKING:
    import random

KEYS = ["query", "limit", "path", "filepath", "kind", "a", "b", "items", "description", "default", "x1"]
ODD: dict[str, list[Any]] = {
    "annotations": [None, {"readOnlyHint": "yes"}, {"destructiveHint": None}],
    "execution": [{"taskSupport": "optional"}, {}, None],
    "inputSchema": [None, {}, True, {"type": 7}, 7],
    "outputSchema": [None, {"type": "object", "title": "O"}],
    "_meta": [{"tier": "facade"}, {"tier": "internal"}, {"category": "read"}, {"deprecated": True}, {"x": 1}],
}
"""Members of a tool that few servers send, and values that they must not have."""
WORDS = ["Finds things.", "Finds all things.", "Use this when you look for things.", ""]
HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]


class Surfaces:
    """Generates surfaces and edits of them."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.maker = Maker(rng)
        self.editor = Editor(self.maker)

    def member(self, depth: int = 2) -> Any:
        """A schema of the kind that servers publish, and sometimes of any kind."""
        maker = self.maker
        roll = maker.below(12)
        out: Any
        if roll < 3:
            out = {"type": maker.pick(["string", "integer", "number", "boolean"])}
        elif roll == 3:
            out = {"type": "string", "enum": self.rng.sample(["x", "y", "z", "w"], 1 + maker.below(3))}
        elif roll == 4:
            out = {"type": "integer", "minimum": maker.below(3), "maximum": 5 + maker.below(5)}
        elif roll == 5:
            out = {"anyOf": [{"type": maker.pick(["string", "integer"])}, {"type": "null"}]}
        elif roll == 6 and depth:
            out = {"type": "array", "items": self.member(depth - 1)}
        elif roll == 7 and depth:
            out = self.object(depth - 1)
        elif roll == 8 and depth:
            out = {"type": "object", "additionalProperties": self.member(depth - 1)}
        elif roll == 9:
            out = beyond(maker)[1] if maker.chance(0.1) else maker.schema(1)
        else:
            out = maker.schema(depth)
        if isinstance(out, dict):
            for word, share, values in (
                ("default", 0.15, [None, 0, 1, "x", "y", []]),
                ("description", 0.2, WORDS),
                ("format", 0.06, ["date", "uri", "uuid"]),
                ("title", 0.1, ["A", "B"]),
            ):
                if maker.chance(share):
                    out[word] = maker.pick(values)
        return out

    def object(self, depth: int = 2) -> dict[str, Any]:
        maker = self.maker
        names = self.rng.sample(KEYS, 1 + maker.below(4))
        out: dict[str, Any] = {"type": "object", "properties": {name: self.member(depth) for name in names}}
        if maker.chance(0.5):
            out["required"] = names[: 1 + maker.below(len(names))]
        if maker.chance(0.35):
            out["additionalProperties"] = maker.chance(0.2)
        if maker.chance(0.08):
            maker.add(out, maker.pick(["anyOf", "allOf", "oneOf", "patternProperties", "dependentRequired", "if"]), 1)
        return out

    def tool(self, name: str) -> dict[str, Any]:
        maker = self.maker
        out: dict[str, Any] = {"name": name, "description": maker.pick(WORDS), "inputSchema": self.object()}
        if maker.chance(0.1):
            out["inputSchema"] = self.wide()
        if maker.chance(0.4):
            out["outputSchema"] = self.object()
        if maker.chance(0.12):
            side = out[maker.pick([side for side in ("inputSchema", "outputSchema") if side in out])]
            side["$defs"] = {"N": self.object(1)}
            side.setdefault("properties", {})["node"] = {"$ref": "#/$defs/N"}
            if maker.chance(0.5):
                side["$defs"]["N"].setdefault("properties", {})["next"] = {"$ref": "#/$defs/N"}
        if maker.chance(0.4):
            out["annotations"] = {hint: maker.chance(0.5) for hint in HINTS if maker.chance(0.5)}
        return out

    def wide(self) -> dict[str, Any]:
        """An object above the limit for renames, or deeper than schemas are read."""
        maker = self.maker
        if maker.chance(0.15):
            node: dict[str, Any] = {"type": "string"}
            for _ in range(maker.pick([95, 99, 100, 101, 110])):
                node = {"type": "array", "items": node}
            return {"type": "object", "properties": {"a": node}}
        count = maker.pick([12, 20, 21, 30])
        return {"type": "object", "properties": {f"{maker.pick('pqr')}{n}": self.member(0) for n in range(count)}}

    def surface(self) -> dict[str, Any]:
        count = self.maker.pick([1, 1, 1, 2, 3]) if self.maker.chance(0.97) else 12
        return {"tools": [self.tool(f"tool_{n}") for n in range(count)]}

    def edited(self, surface: dict[str, Any]) -> dict[str, Any]:
        maker = self.maker
        surface = copied(surface)
        for _ in range(maker.pick([1, 1, 1, 2, 2])):
            tools = surface["tools"]
            tool = maker.pick(tools) if tools else None
            roll = self.rng.random()
            if tool is None or roll < 0.05:
                tools.append(self.tool(f"new_{len(tools)}"))
            elif roll < 0.08:
                tools.remove(tool)
            elif roll < 0.12:
                tool["name"] += maker.pick(["_2", "s"])
            elif roll < 0.18:
                self.words(tool)
            elif roll < 0.22:
                tool.setdefault("annotations", {})[maker.pick(HINTS)] = maker.chance(0.5)
            elif roll < 0.24:
                word = maker.pick(list(ODD))
                tool[word] = copied(maker.pick(ODD[word]))
            elif roll < 0.28:
                word = "outputSchema"
                if word in tool:
                    del tool[word]
                else:
                    tool[word] = self.object()
            else:
                self.schema(tool)
        return surface

    def words(self, tool: dict[str, Any]) -> None:
        found = [tool, *places(tool["inputSchema"]), *places(tool.get("outputSchema"))]
        self.maker.pick(found)[self.maker.pick(["description", "title"])] = self.maker.pick([*WORDS, "Other"])

    def schema(self, tool: dict[str, Any]) -> None:
        maker = self.maker
        side = "outputSchema" if "outputSchema" in tool and maker.chance(0.4) else "inputSchema"
        if maker.chance(0.5):
            new = self.editor.edited(tool[side])
            tool[side] = new if isinstance(new, dict) else {"type": "object"}
            tool[side]["type"] = "object"
            return
        found = places(tool[side])
        if not found:
            return  # an edit before left no schema there
        place = maker.pick(found)
        roll = maker.below(9)
        if roll > 6:
            self.union(place)
            return
        if roll == 0:
            place["default"] = maker.pick([None, 0, 1, "x", "y"])
        elif roll == 1:
            place["format"] = maker.pick(["date", "uri"])
        elif "properties" in place and isinstance(place["properties"], dict):
            self.properties(place, roll)

    def union(self, place: dict[str, Any]) -> None:
        """An object as several, or several as one, and sometimes a little different."""
        maker = self.maker
        word = next((word for word in ("anyOf", "oneOf") if isinstance(place.get(word), list)), None)
        if word is not None:
            parts = [part for part in place.pop(word) if isinstance(part, dict)]
            for part in parts:
                place["properties"] = {**place.get("properties", {}), **part.get("properties", {})}
            if parts and maker.chance(0.5):
                place[word] = [{"required": part["required"]} for part in parts if "required" in part] or [True]
            if maker.chance(0.5):
                place["properties"] = {**place.get("properties", {}), "kind": {"enum": ["x", "y"]}}
            return
        members = place.get("properties")
        if not isinstance(members, dict) or not members:
            return
        parts = [{"type": "object", "properties": {}} for _ in range(2 + maker.below(2))]
        common = maker.chance(0.3)
        for name, member in members.items():
            for part in parts if maker.chance(0.3) else [maker.pick(parts)]:
                part["properties"][name] = copied(member)
        for part, tag in zip(parts, "xyz", strict=False):
            if maker.chance(0.6):
                part["properties"]["kind"] = {"const": tag}
            needed = [name for name in part["properties"] if maker.chance(0.4)]
            part.update({"required": needed} if needed else {})
            part.update({"additionalProperties": False} if maker.chance(0.15) else {})
        place[maker.pick(["anyOf", "oneOf"])] = parts
        for key in ("properties", "required", "additionalProperties"):
            if not common:
                place.pop(key, None)

    def properties(self, place: dict[str, Any], roll: int) -> None:
        maker, members = self.maker, place["properties"]
        if roll == 2 or not members:
            members[maker.pick(KEYS)] = self.member(1)
        elif roll == 3:
            del members[maker.pick(list(members))]
        elif roll == 4:
            name = maker.pick(list(members))
            members[maker.pick([f"{name}_id", f"file{name}", *KEYS])] = members.pop(name)
        elif roll == 5:
            place["required"] = sorted({*place.get("required", ()), maker.pick(list(members))})
        else:
            place["additionalProperties"] = maker.pick([False, False, True, {"type": "string"}])


def otherwise_spelled(surface: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same surface with schemas that mean the same."""
    surface = copied(surface)
    for tool in surface["tools"]:
        for place in [place for side in ("inputSchema", "outputSchema") for place in places(tool.get(side))]:
            spelled = respelled(place, rng)
            place.clear()
            place.update(spelled)
    return surface


_DATA = ("default", "const", "enum")


def shuffled(value: Any, rng: random.Random, word: str = "") -> Any:
    """The same document with its keys and unordered lists in another order."""
    if isinstance(value, dict):
        keys = sorted(value)
        rng.shuffle(keys)
        return {key: shuffled(value[key], rng, "default" if word in _DATA else key) for key in keys}
    if isinstance(value, list):
        out = [shuffled(part, rng, "default" if word in _DATA else "") for part in value]
        if word in ("required", "type", "enum"):
            rng.shuffle(out)
        return out
    return value


def reordered(case: dict[str, Any]) -> bool:
    """True if the two surfaces differ in order only."""
    return _sorted(case["old"]) == _sorted(case["new"])


def _sorted(value: Any, word: str = "") -> str:
    if isinstance(value, dict):
        return json.dumps({key: _sorted(value[key], "default" if word in _DATA else key) for key in sorted(value)})
    if isinstance(value, list):
        parts = [_sorted(part, "default" if word in _DATA else "") for part in value]
        return json.dumps(sorted(parts) if word in ("required", "type", "enum") else parts)
    return json.dumps(value)
