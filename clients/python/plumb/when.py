"""What to call at an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Union, overload

if TYPE_CHECKING:
    from .board import Board
    from .session import Callback


class When:
    """An attribute that holds a function to be called at an event, as in gpiozero. The function takes the event, or
    nothing. None stands for no function."""

    def __init__(self, event: str) -> None:
        self.event = event
        self.__doc__ = f"What to call at each `{event}`: a function that takes the event, or nothing."

    @overload
    def __get__(self, board: None, kind: type) -> When: ...

    @overload
    def __get__(self, board: Board, kind: type) -> Optional[Callback]: ...

    def __get__(self, board: Optional[Board], kind: type) -> Union[When, Optional[Callback]]:
        return self if board is None else board._session.callback(self.event)

    def __set__(self, board: Board, function: Optional[Callback]) -> None:
        if function is not None and not callable(function):
            raise TypeError(f"a callback is a function, not {function!r}: write it without ()")
        board._session.set_callback(self.event, function)
