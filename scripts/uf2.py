"""Makes a UF2 file of an RP2040's program, and writes the checksum that its boot ROM wants.

    uf2.py PROGRAM.elf OUTPUT.uf2

Prints how much flash and RAM the program takes.
"""

import struct
import sys

FAMILY = 0xE48BFF56  # RP2040
FLASH = 0x10000000
PAYLOAD = 256


def checksum(code):
    """CRC-32 of the second stage of the boot, most significant bit first (RP2040 data sheet, 2.8.1.3.1)."""
    value = 0xFFFFFFFF
    for byte in code:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value >> 31 else 0)) & 0xFFFFFFFF
    return value


def image(elf):
    """The bytes of flash from its beginning, and the size of the RAM, with the stack."""
    flash, ram = bytearray(), 0
    offset, size, count = struct.unpack_from("<I", elf, 28)[0], *struct.unpack_from("<HH", elf, 42)
    for index in range(count):
        kind, at, virtual, physical, in_file, in_memory = struct.unpack_from("<6I", elf, offset + index * size)
        if kind != 1:
            continue
        if virtual >> 28 == 2:
            ram += in_memory
        if in_file:
            end = physical - FLASH + in_file
            flash.extend(b"\0" * (end - len(flash)))
            flash[physical - FLASH : end] = elf[at : at + in_file]
    return flash, ram


def main():
    with open(sys.argv[1], "rb") as file:
        flash, ram = image(file.read())
    if any(flash[252:256]):
        sys.exit("uf2.py: the second stage of the boot takes more than 252 bytes")
    flash[252:256] = struct.pack("<I", checksum(flash[:252]))
    used = len(flash)
    flash.extend(b"\0" * (-used % PAYLOAD))
    count = len(flash) // PAYLOAD
    with open(sys.argv[2], "wb") as file:
        for number in range(count):
            block = flash[number * PAYLOAD : (number + 1) * PAYLOAD]
            header = struct.pack(
                "<8I", 0x0A324655, 0x9E5D5157, 0x2000, FLASH + number * PAYLOAD, PAYLOAD, number, count, FAMILY
            )
            file.write(header + block + b"\0" * (476 - PAYLOAD) + struct.pack("<I", 0x0AB16F30))
    print(f"pico: {sys.argv[2]}, {used} bytes of flash, {ram} of RAM with the stack")


main()
