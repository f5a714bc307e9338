"""A USB host for the emulated Pico: it enumerates a device, opens its serial port, reads, stops reading, and goes.

rp2040py's own host answers an empty read at once, for ever, never finishes a control transfer, and takes whatever the
device sends; this one does as a computer's does: it leaves an endpoint unanswered (NAK) while it has nothing to say or
does not listen, and sends each stage of a control transfer.
"""

import struct
from collections import deque

from rp2040py.peripherals.usb import EP0_IN_BUFFER_CONTROL, SIE_STATUS, USB_BUF_CTRL_AVAILABLE

SIE_SUSPENDED = 1 << 4
DEVICE_TO_HOST, CLASS_TO_INTERFACE = 0x80, 0x21
# How long a full-speed host takes for a packet of 64 bytes.
PACKET_NANOS = 50_000


class UsbHost:
    """A computer's port; `on_bytes` is called with what the device sends while the port is open."""

    def __init__(self, controller, on_bytes):
        self.usb, self.on_bytes = controller, on_bytes
        self.clock = controller.rp2040.clock
        self.is_plugged = True
        self.own_update, self.own_write = controller.dpram_updated, controller.write_uint32
        controller.write_uint32 = self._written
        controller.dpram_updated = self._updated
        controller.on_usb_enabled = self._attached
        controller.on_reset_received = self._was_reset
        controller.on_endpoint_write = self._received
        controller.on_endpoint_read = self._asked
        controller.on_reset = self._forget
        self.alarm = self.clock.create_alarm(self._take)
        self.pause = self.clock.create_alarm(self._next)
        self.enumerations = 0
        self._forget()

    def _forget(self):
        self.alarm.cancel()
        self.pause.cancel()
        self.requests, self.request, self.answer = deque(), None, bytearray()
        self.is_status_armed = False
        self.device, self.configuration, self.strings = b"", b"", {}
        self.is_configured = self.is_open = False
        self.is_reading, self.is_taking = True, False
        self.in_endpoint = self.out_endpoint = self.interface = None
        self.held = deque()
        self.wanted = None
        self.outgoing = bytearray()

    # Plug and port.

    def unplug(self):
        """Pulls the plug of a Pico that has power from elsewhere: the bus falls silent, which the device sees."""
        self.is_plugged = False
        self._forget()
        self.usb._sie_status |= SIE_SUSPENDED
        self.usb._set_connected(False)
        self.usb._sie_status_updated()

    def plug(self):
        self.is_plugged = True
        self.usb._sie_status &= ~SIE_SUSPENDED
        self.usb._set_connected(True)
        self.usb.reset_device()

    def open(self):
        """Opens the port as Linux does: line coding, then DTR and RTS."""
        self.control(CLASS_TO_INTERFACE, 0x20, 0, self.interface, struct.pack("<IBBB", 115200, 0, 0, 8))
        self.control(CLASS_TO_INTERFACE, 0x22, 3, self.interface)
        self.is_open, self.is_reading = True, True
        self._schedule()

    def close(self):
        self.control(CLASS_TO_INTERFACE, 0x22, 0, self.interface)
        self.is_open = False
        self.outgoing.clear()

    def stop_reading(self):
        self.is_reading = False

    def read_on(self):
        self.is_reading = True
        self._schedule()

    def send(self, data):
        self.outgoing += data
        self._send()

    # Control transfers, one after the other.

    def control(self, kind, request, value, index, data=b"", length=None, then=None):
        self.requests.append((kind, request, value, index, bytes(data), len(data) if length is None else length, then))
        if self.request is None:
            self._next()

    def _next(self):
        self.request = self.requests.popleft() if self.requests else None
        self.answer, self.is_status_armed = bytearray(), False
        if self.request:
            kind, request, value, index, _, length, _ = self.request
            self.usb.send_setup_packet(struct.pack("<BBHHH", kind, request, value, index or 0, length))

    def _done(self):
        then, answer = self.request[6], bytes(self.answer)
        # Not at once: the last stage takes its time, too.
        self.pause.schedule(2 * PACKET_NANOS)
        if then:
            then(answer)

    def _attached(self):
        if self.is_plugged:
            self.usb.reset_device()

    def _was_reset(self):
        if not self.is_plugged:
            return
        self._forget()
        self.enumerations += 1
        self.control(0x00, 5, 1, 0)
        self.control(DEVICE_TO_HOST, 6, 0x100, 0, length=18, then=self._describe)

    def _describe(self, answer):
        self.device = answer
        self.control(DEVICE_TO_HOST, 6, 0x200, 0, length=9, then=self._measure)

    def _measure(self, answer):
        length, = struct.unpack_from("<H", answer, 2)
        self.control(DEVICE_TO_HOST, 6, 0x200, 0, length=length, then=self._configure)

    def _configure(self, answer):
        self.configuration = answer
        offset = 0
        while offset < len(answer):
            length, kind = answer[offset], answer[offset + 1]
            if kind == 4 and answer[offset + 5] == 2:
                self.interface = answer[offset + 2]
            if kind == 5 and answer[offset + 3] & 3 == 2:
                address = answer[offset + 2]
                if address & 0x80:
                    self.in_endpoint = address & 0xF
                else:
                    self.out_endpoint = address
            offset += length
        for index in sorted({*self.device[14:17]} - {0}):
            self.control(DEVICE_TO_HOST, 6, 0x300 | index, 0x409, length=255,
                         then=lambda answer, index=index: self._name(index, answer))
        self.control(0x00, 9, 1, 0, then=self._is_ready)

    def _name(self, index, answer):
        self.strings[index] = answer[2:].decode("utf-16-le")

    def _is_ready(self, _answer):
        self.is_configured = True

    @property
    def identity(self):
        """VID, PID, manufacturer, product and serial number."""
        vendor, product = struct.unpack_from("<HH", self.device, 8)
        return vendor, product, *(self.strings.get(index) for index in self.device[14:17])

    # What the device does.

    def _written(self, offset, value):
        # The chip notices the change to a bus that sleeps; rp2040py interrupts as long as it does (INTR.DEV_SUSPEND).
        if offset == SIE_STATUS and self.usb.raw_write_value & SIE_SUSPENDED:
            self.usb._sie_status &= ~SIE_SUSPENDED
        self.own_write(offset, value)

    def _updated(self, offset, value):
        endpoint, is_out = (offset - EP0_IN_BUFFER_CONTROL) >> 3, bool(offset & 4)
        is_data = endpoint == self.in_endpoint and not is_out and value & USB_BUF_CTRL_AVAILABLE
        if is_data and offset >= EP0_IN_BUFFER_CONTROL:
            self.held.append((offset, value))
            self._schedule()
        else:
            self.own_update(offset, value)

    def _schedule(self):
        if self.held and self.is_open and self.is_reading and not self.is_taking:
            self.is_taking = True
            self.alarm.schedule(PACKET_NANOS)

    def _take(self):
        self.is_taking = False
        if self.held and self.is_open and self.is_reading:
            self.own_update(*self.held.popleft())
            self._schedule()

    def _received(self, endpoint, data):
        if endpoint == self.in_endpoint:
            self.on_bytes(bytes(data))
        elif endpoint == 0 and self.request:
            kind, _, _, _, _, length, _ = self.request
            if not kind & 0x80:
                self._done()
                return
            self.answer += data
            if self.is_status_armed and (len(data) < 64 or len(self.answer) >= length):
                self._end()

    def _end(self):
        self.usb.endpoint_read_done(0, b"")
        self._done()

    def _asked(self, endpoint, size):
        if endpoint == 0 and self.request:
            kind, _, _, _, data, length, _ = self.request
            if not kind & 0x80:
                if length:
                    self.usb.endpoint_read_done(0, data[:size])
                return
            self.is_status_armed = True
            if self.answer and (len(self.answer) % 64 or len(self.answer) >= length):
                self._end()
        elif endpoint == self.out_endpoint:
            self.wanted = size
            self._send()

    def _send(self):
        if self.wanted is not None and self.outgoing:
            part = bytes(self.outgoing[:min(self.wanted, 64)])
            del self.outgoing[:len(part)]
            self.wanted = None
            self.usb.endpoint_read_done(self.out_endpoint, part, PACKET_NANOS // 1000)
