#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pictures.py AMPCC [--check]: makes the pictures of docs/cookbook.md, or compares them with what is drawn now.

Each docs/pictures/NAME.png is what samples/cookbook/NAME.c writes to the file that its command line names, as PPM. With
--check a picture may differ a little, because the last bits of functions depend on the processor."""
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def draw(ampcc, name, folder):
    """(width, height, rows of bytes) that a program writes; None if it writes no picture."""
    program, picture = os.path.join(folder, name), os.path.join(folder, name + ".ppm")
    source = os.path.join(ROOT, "samples", "cookbook", name + ".c")
    subprocess.run([ampcc, "-O2", source, "-o", program, "-lm"], check=True)
    subprocess.run([program, picture], check=True, stdout=subprocess.DEVNULL)
    if not os.path.exists(picture):
        return None
    with open(picture, "rb") as file:
        header = re.match(rb"P6\n(\d+) (\d+)\n255\n", data := file.read())
    return int(header[1]), int(header[2]), data[header.end():]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, pixels):
    """Rows are stored as differences to the row above, which compress well."""
    rows, above = [], bytes(3 * width)
    for y in range(height):
        row = pixels[3 * width * y:3 * width * (y + 1)]
        rows.append(b"\2" + bytes((a - b) % 256 for a, b in zip(row, above)))
        above = row
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(rows), 9)) +
            chunk(b"IEND", b""))


def pixels_of(name):
    """What png() was given."""
    with open(name, "rb") as file:
        data = file.read()
    width, height = struct.unpack(">II", data[16:24])
    (size,) = struct.unpack(">I", data[33:37])
    rows, above, pixels = zlib.decompress(data[41:41 + size]), bytes(3 * width), []
    for y in range(height):
        row = rows[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)]
        above = bytes((a + b) % 256 for a, b in zip(row, above))
        pixels.append(above)
    return width, height, b"".join(pixels)


def differ(a, b):
    """Whether more than two per cent of the bytes differ visibly."""
    return a[:2] != b[:2] or sum(abs(x - y) > 8 for x, y in zip(a[2], b[2])) > 0.02 * len(b[2])


def main():
    ampcc, is_check = os.path.abspath(sys.argv[1]), "--check" in sys.argv
    names = sorted(f[:-2] for f in os.listdir(os.path.join(ROOT, "samples", "cookbook")) if f.endswith(".c"))
    wrong = n = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            picture = draw(ampcc, name, folder)
            file = os.path.join(ROOT, "docs", "pictures", name + ".png")
            if is_check and (picture is None) == os.path.exists(file) or is_check and picture and differ(
                    picture, pixels_of(file)):
                wrong += 1
                print(f"{name}: the picture in docs/pictures is not what the program draws")
            if picture and not is_check:
                with open(file, "wb") as out:
                    out.write(png(*picture))
            n += bool(picture)
    print(f"{n} pictures of {len(names)} programs, {wrong} wrong")
    return bool(wrong) or n == 0


sys.exit(main())
