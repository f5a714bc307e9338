"""Home Assistant as a library, inside its root: reports what its state machine does and answers questions about it.

    inside.py FOLDER        (FOLDER: its configuration)

Writes one JSON object per line to standard output:

    {"state": ENTITY, "value": TEXT or null, "attributes": {...}}   a state changed (null: removed)
    {"notification": {"title": ..., "message": ...}}                a notification for the user
    {"log": LEVEL, "logger": NAME, "message": TEXT}                 a warning or an error of its own
    {"answer": NUMBER, "result": ...} or {"answer": NUMBER, "error": TEXT}

and reads requests, {"number": NUMBER, "ask": NAME, ...}, from standard input. At the end of input it stops Home
Assistant in an orderly way. Nothing here knows of Plumb.
"""

import asyncio
import json
import logging
import os
import sys

from homeassistant import bootstrap, runner
from homeassistant.components import persistent_notification
from homeassistant.components.device_automation import DeviceAutomationType, async_get_device_automations
from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import callback
from homeassistant.helpers import device_registry, entity_registry
from homeassistant.helpers.json import JSONEncoder

# Output of the libraries must not mix with the lines.
LINES = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
os.dup2(2, 1)


def tell(what):
    LINES.write(json.dumps(what, cls=JSONEncoder) + "\n")


class Teller(logging.Handler):
    """Reports the warnings."""

    def emit(self, record):
        tell({"log": record.levelname, "logger": record.name, "message": self.format(record)})


def state(one):
    return {"value": one.state, "attributes": dict(one.attributes)}


class Answers:
    """Answers each request, by its name."""

    def __init__(self, hass):
        self.hass = hass

    async def states(self):
        return {one.entity_id: state(one) for one in self.hass.states.async_all()}

    async def devices(self):
        """The devices from MQTT."""
        found = device_registry.async_get(self.hass).devices.values()
        return [
            {"id": one.id, "name": one.name, "manufacturer": one.manufacturer, "model": one.model,
             "version": one.sw_version, "link": one.configuration_url, "identifiers": sorted(i[1] for i in one.identifiers)}
            for one in found if any(domain == "mqtt" for domain, _ in one.identifiers)]

    async def entities(self):
        """The entities from MQTT."""
        return [
            {"entity": one.entity_id, "unique": one.unique_id, "device": one.device_id, "name": one.original_name,
             "category": one.entity_category, "class": one.original_device_class,
             "precision": one.options.get("sensor", {}).get("suggested_display_precision")}
            for one in entity_registry.async_get(self.hass).entities.values() if one.platform == "mqtt"]

    async def triggers(self, device):
        found = await async_get_device_automations(self.hass, DeviceAutomationType.TRIGGER, [device])
        return [one for one in found[device] if one["domain"] == "mqtt"]

    async def call(self, domain, service, data):
        await self.hass.services.async_call(domain, service, data, blocking=True)


async def serve(hass, requests):
    answers = Answers(hass)
    while line := await requests.readline():
        request = json.loads(line)
        number = request.pop("number")
        try:
            tell({"answer": number, "result": await getattr(answers, request.pop("ask"))(**request)})
        except Exception as error:  # pylint: disable=broad-exception-caught
            tell({"answer": number, "error": repr(error)})


async def main(folder):
    logging.getLogger().addHandler(teller := Teller(logging.WARNING))
    teller.setFormatter(logging.Formatter("%(message)s"))
    requests = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(requests), sys.stdin)
    hass = await bootstrap.async_setup_hass(runner.RuntimeConfig(config_dir=folder, skip_pip=True, log_no_color=True))
    if hass is None or hass.config.recovery_mode:
        sys.exit("Home Assistant did not start, or in its recovery mode")

    @callback
    def changed(event):
        new = event.data["new_state"]
        tell({"state": event.data["entity_id"], **(state(new) if new else {"value": None, "attributes": {}})})

    @callback
    def notified(kind, notifications):
        if kind == persistent_notification.UpdateType.ADDED:
            for one in notifications.values():
                tell({"notification": {"title": one["title"], "message": one["message"]}})

    hass.bus.async_listen(EVENT_STATE_CHANGED, changed)
    persistent_notification.async_register_callback(hass, notified)
    await hass.async_start()
    try:
        await serve(hass, requests)
    finally:
        await hass.async_stop()


asyncio.run(main(sys.argv[1]))
