"""Shows the poses of several boards at once: two_boards.py ADDRESS ADDRESS..."""

import asyncio
import sys

from plumb import AsyncBoard, PoseEvent


async def follow(address: str) -> None:
    async with AsyncBoard(address) as board:
        async for event in board:
            if isinstance(event, PoseEvent):
                print(f"{address}: {event.to}", flush=True)


async def main() -> None:
    await asyncio.gather(*map(follow, sys.argv[1:]))


asyncio.run(main())
