"""The same for programs with asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from typing import Any, AsyncIterator, Callable, Generic, Optional, Type, TypeVar, cast

from .board import Board, Rate, T, What, matcher
from .errors import ClosedError
from .events import Angles, Event, Hello, RawSample, Reading, Sample, Settings, Snapshot
from .samples import Samples
from .session import Mailbox
from .vocabulary import POSES, Pose, Reason

R = TypeVar("R")


class AsyncListening(Generic[T]):
    """Messages of one kind, as they come, until the board is closed."""

    def __init__(self, board: Board, kind: Type[T], present: bool) -> None:
        self._board, self._loop, self._came, self._turn = board, asyncio.get_running_loop(), asyncio.Event(), 0
        self._mailbox: Mailbox[T] = board._session.listen(kind, notify=self._notify, present=present)

    def _notify(self) -> None:
        # The loop may have ended.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._came.set)

    def __aiter__(self) -> AsyncListening[T]:
        return self

    async def __anext__(self) -> T:
        # Other tasks have their turn too, however many messages come.
        self._turn = (self._turn + 1) % 64
        if self._turn == 0:
            await asyncio.sleep(0)
        while True:
            self._came.clear()
            message = self._mailbox.get(0)
            if message is not None:
                return cast(T, message)
            if self._mailbox.is_over:
                raise StopAsyncIteration
            await self._came.wait()


def _close(opened: asyncio.Future[Board]) -> None:
    """Closes a board that is no longer wanted."""
    if not opened.cancelled() and opened.exception() is None:
        opened.result().close()


class AsyncBoard:
    """A Board for asyncio, with the same arguments.

        async with AsyncBoard("ssh:pi@raspberrypi") as board:
            async for event in board:
                print(event)
    """

    def __init__(self, address: Optional[str] = None, *, token: Optional[str] = None, rate: Rate = 10,
                 vibration: bool = False, counters: int = 0, reconnects: bool = True) -> None:
        self._open = functools.partial(Board, address, token=token, rate=rate, vibration=vibration, counters=counters,
                                       reconnects=reconnects)
        self._opened: Optional[Board] = None

    async def __aenter__(self) -> AsyncBoard:
        future = asyncio.get_running_loop().run_in_executor(None, self._open)
        try:
            self._opened = await asyncio.shield(future)
        except asyncio.CancelledError:
            future.add_done_callback(_close)
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connection. What iterates ends."""
        if self._opened:
            await self._run(self._opened.close)

    @property
    def _board(self) -> Board:
        if self._opened is None:
            raise ClosedError("the board is not open: use it in `async with`")
        return self._opened

    @property
    def address(self) -> str:
        """Where the owner is."""
        return self._board.address

    @property
    def hello(self) -> Hello:
        """What the owner said about itself last."""
        return self._board.hello

    @property
    def snapshot(self) -> Snapshot:
        """What is known now."""
        return self._board.snapshot

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection to the owner."""
        return self._board.is_connected

    @property
    def pose(self) -> Optional[Pose]:
        """The pose; None if it is not known now."""
        return self._board.pose

    @property
    def reason(self) -> Optional[Reason]:
        """Why the pose is not known; None if it is."""
        return self._board.reason

    @property
    def angles(self) -> Optional[Angles]:
        """The angles of the last sample; None if they are not known now."""
        return self._board.angles

    @property
    def missed(self) -> int:
        """How many lines were lost since the board was opened."""
        return self._board.missed

    def __aiter__(self) -> AsyncIterator[Event]:
        """The events as they come, beginning with the pose of now. Ends when the board is closed."""
        return AsyncListening(self._board, Event, True)

    def samples(self) -> AsyncIterator[Sample]:
        """The samples as they come, as many a second as `rate` says."""
        self._board._check_rate(Sample)
        return AsyncListening(self._board, Sample, False)

    def raw_samples(self) -> AsyncIterator[RawSample]:
        """The samples in the sensor's own frame, with `rate="raw"`."""
        self._board._check_rate(RawSample)
        return AsyncListening(self._board, RawSample, False)

    async def record(self, seconds: Optional[float] = None, count: Optional[int] = None) -> Samples[Sample]:
        """The samples of the next `seconds`, at most `count`."""
        return await self._run(lambda: self._board.record(seconds, count))

    async def record_raw(self, seconds: Optional[float] = None, count: Optional[int] = None) -> Samples[RawSample]:
        """The same in the sensor's own frame, with `rate="raw"`."""
        return await self._run(lambda: self._board.record_raw(seconds, count))

    async def wait_for(self, what: What, timeout: Optional[float] = None) -> Optional[Event]:
        """As `Board.wait_for`."""
        matches = matcher(what)
        events = AsyncListening(self._board, Event, what in POSES or what == "unknown")

        async def first() -> Optional[Event]:
            async for event in events:
                if matches(event):
                    return event
            return None

        try:
            return await asyncio.wait_for(first(), timeout)
        except asyncio.TimeoutError:
            return None

    async def read(self, timeout: float = 2) -> Reading:
        """One fresh reading."""
        return await self._run(lambda: self._board.read(timeout))

    async def refresh(self, timeout: float = 2) -> Hello:
        """Asks the owner to describe itself again, with its counters."""
        return await self._run(lambda: self._board.refresh(timeout))

    async def settings(self, timeout: float = 2) -> Settings:
        """The sensor's mounting and calibration."""
        return await self._run(lambda: self._board.settings(timeout))

    async def tare(self) -> None:
        """As `Board.tare`."""
        await self._run(self._board.tare)

    async def untare(self) -> None:
        """As `Board.untare`."""
        await self._run(self._board.untare)

    async def reload(self) -> None:
        """As `Board.reload`."""
        await self._run(self._board.reload)

    async def _run(self, function: Callable[[], R]) -> R:
        found: Any = await asyncio.get_running_loop().run_in_executor(None, function)
        return cast(R, found)
