"""Frozen dataclasses that are cheap to define.

A command defines some seventy value classes before it does anything. On Python 3.11 ``dataclass(frozen=True,
slots=True)`` compiles six methods for each of them; :func:`frozen` compiles one, on first use, and shares the others.
With the standard decorator an offline ``diff`` takes 29 % more instructions on Python 3.13 (411 against 319 million,
callgrind, bytecode kept). The result is an ordinary dataclass: ``fields``, ``replace``, ``asdict``, ``match``, ``copy``
and ``pickle`` work as with the standard decorator.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform, overload

from mcp_governor.compiled import method_once

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_T = TypeVar("_T")
_set = object.__setattr__
_NOT_GIVEN: Any = object()


@overload
def frozen(cls: type[_T], /) -> type[_T]: ...
@overload
def frozen(*, eq: bool = True, slots: bool = True) -> Callable[[type[_T]], type[_T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, eq: bool = True, slots: bool = True) -> Any:
    """The same as ``dataclass(frozen=True, slots=True)``, in a fraction of the time.

    Args:
        cls: the class; its own methods are kept.
        eq: compare and hash by value; otherwise by identity.
        slots: ``False`` if the class has cached properties, which need a ``__dict__``.
    """
    if cls is None:
        return lambda decorated: _completed(decorated, eq=eq, slots=slots)
    return _completed(cls, eq=eq, slots=slots)


def _completed(cls: Any, *, eq: bool, slots: bool) -> Any:
    given = vars(cls)
    declared = {
        name: value for base in cls.__mro__[:0:-1] for name, value in vars(base).get("__declared__", {}).items()
    }
    declared |= {name: given.get(name, MISSING) for name in given.get("__annotations__", ())}
    members: dict[str, Any] = {
        "__init__": _Initializer(),
        "__repr__": _shown,
        "__setattr__": _refuse_assignment,
        "__delattr__": _refuse_deletion,
        "__match_args__": tuple(declared),
        "__declared__": declared,
        "__dataclass_fields__": _Fields(),
    }
    if eq:
        compared = [name for name, value in declared.items() if not isinstance(value, Field) or value.compare]
        members["__eq__"], members["__hash__"] = _by_value(compared)
    left_out = {"__dict__", "__weakref__"}
    if slots:
        members["__getstate__"], members["__setstate__"] = _state, _restore
        inherited = {name for base in cls.__mro__[1:] for name in getattr(base, "__slots__", ())}
        members["__slots__"] = tuple(name for name in declared if name not in inherited)
        left_out.update(declared)
    else:
        left_out.update(name for name, value in declared.items() if isinstance(value, Field))
        members |= {name: value.default for name, value in declared.items() if _has_default(value)}
    # A class with slots has to be created again, and it is cheapest to do so with its methods in place. A class that
    # defines __eq__ but not __hash__ has a __hash__ of None.
    own = {name: value for name, value in given.items() if name not in left_out and (name, value) != _UNHASHABLE}
    made = type(cls)(cls.__name__, cls.__bases__, members | own)
    made.__qualname__ = cls.__qualname__
    return made


_UNHASHABLE = ("__hash__", None)


def _has_default(value: Any) -> bool:
    return isinstance(value, Field) and value.default is not MISSING


class _Fields:
    """The fields of a dataclass, which ``dataclass`` makes on first use: most classes are never asked for them."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner: Any = owner

    def __get__(self, instance: object, owner: type) -> Any:
        cls = self._owner
        annotations = vars(cls).get("__annotations__", {})
        given = {name: cls.__declared__[name] for name in annotations if cls.__declared__[name] is not MISSING}
        members = {"__module__": cls.__module__, "__doc__": cls.__doc__, "__annotations__": annotations, **given}
        twin: Any = dataclass(init=False, repr=False, eq=False)(type(cls)(cls.__name__, cls.__bases__, members))
        cls.__dataclass_params__ = twin.__dataclass_params__
        cls.__dataclass_fields__ = twin.__dataclass_fields__
        return cls.__dataclass_fields__


class _Initializer:
    """An ``__init__`` that is compiled on first use: most classes that a command defines are never instantiated."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = owner

    def __get__(self, instance: object, owner: type) -> Any:
        made = _initializer(self._owner)
        self._owner.__init__ = made  # type: ignore[misc]
        return made.__get__(instance, owner)


def _initializer(cls: Any) -> Callable[..., None]:
    names: dict[str, Any] = {"_set": _set, "_NOT_GIVEN": _NOT_GIVEN}
    parameters, lines = ["self"], []
    for name, given in cls.__declared__.items():
        value = name
        default, factory = (given.default, given.default_factory) if isinstance(given, Field) else (given, MISSING)
        if factory is not MISSING:
            names[f"_made_{name}"] = factory
            value = f"_made_{name}() if {name} is _NOT_GIVEN else {name}"
            parameters.append(f"{name}=_NOT_GIVEN")
        elif default is not MISSING:
            names[f"_default_{name}"] = default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        slot = getattr(cls, name, None)
        if isinstance(slot, MemberDescriptorType):
            # In a third of the time of object.__setattr__, which looks for the slot.
            names[f"_set_{name}"] = slot.__set__
            lines.append(f"_set_{name}(self, {value})")
        else:
            lines.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    made: Callable[..., None] = method_once("__init__", ", ".join(parameters), "; ".join(lines) or "pass", names)
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__module__ = cls.__module__
    return made


def _by_value(names: Sequence[str]) -> tuple[Callable[[Any, object], bool], Callable[[Any], int]]:
    """``__eq__`` and ``__hash__`` that compare these fields."""
    if len(names) > 1:
        key: Callable[[Any], tuple[Any, ...]] = attrgetter(*names)
    else:
        # attrgetter would return the bare value

        def key(self: Any) -> tuple[Any, ...]:
            return tuple(getattr(self, name) for name in names)

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(key(self))

    return __eq__, __hash__


@recursive_repr()
def _shown(self: Any) -> str:
    shown = ", ".join(f"{item.name}={getattr(self, item.name)!r}" for item in fields(self) if item.repr)
    return f"{type(self).__qualname__}({shown})"


def _refuse_assignment(self: Any, name: str, value: object) -> None:  # noqa: ARG001
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(self: Any, name: str) -> None:  # noqa: ARG001
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, item.name) for item in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for item, value in zip(fields(self), state, strict=True):
        _set(self, item.name, value)
