"""Named tuples that are cheap to define.

``typing.NamedTuple`` compiles the annotation of each field and a constructor when a class is defined: a million
instructions for each of the sixty classes that a lint defines, a twelfth of all of them (callgrind). Here a constructor
is compiled on first use, annotations stay text, and the methods are shared. The result is the same named tuple: it
unpacks, ``_replace``, ``_fields``, ``match``, ``copy`` and ``pickle`` work as with the standard one.
"""

from __future__ import annotations

from collections import _tuplegetter  # type: ignore[attr-defined]  # a property in C, where there is one
from typing import TYPE_CHECKING, Any

from mcp_governor.compiled import method_once

_made = tuple.__new__

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NamedTuple as NamedTuple
else:

    class _Maker(type):
        def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> type:
            # Not an instance of this class, so that classes of named tuples are plain ones.
            return type(name, (_Named,), _completed(members)) if bases else super().__new__(cls, name, bases, members)

    class NamedTuple(metaclass=_Maker):
        """The base of a class whose annotations are the fields of a tuple."""


def _completed(members: dict[str, Any]) -> dict[str, Any]:
    """The members of a class with what makes it a named tuple."""
    names = tuple(members["__annotations__"])
    defaults = {name: members[name] for name in names if name in members}
    return {
        **members,
        **{name: _tuplegetter(place, f"Alias for field number {place}") for place, name in enumerate(names)},
        "__slots__": (),
        "__match_args__": names,
        "__new__": _Constructor(),
        "_fields": names,
        "_field_defaults": defaults,
    }


class _Constructor:
    """A ``__new__`` that is compiled on first use: most classes that a command defines are never instantiated."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = owner

    def __get__(self, instance: object, owner: type) -> Any:
        made = _constructor(self._owner)
        self._owner.__new__ = staticmethod(made)  # type: ignore[method-assign]
        return made


def _constructor(owner: Any) -> Any:
    fields = ", ".join(owner._fields)
    space = {"_made": _made, "__name__": owner.__module__}
    made = method_once("__new__", f"_cls, {fields}", f"return _made(_cls, ({fields},))", space)
    # Only the last fields may have one; mypy refuses any other class.
    made.__defaults__ = tuple(owner._field_defaults.values())
    made.__qualname__ = f"{owner.__qualname__}.__new__"
    return made


class _Named(tuple[Any, ...]):
    """The methods of all named tuples."""

    __slots__ = ()
    _fields: tuple[str, ...]

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Any:
        made = _made(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self, **values: Any) -> Any:
        made = _made(type(self), map(values.pop, self._fields, self))
        if values:
            raise TypeError(f"Got unexpected field names: {list(values)!r}")
        return made

    __replace__ = _replace

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({shown})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)
