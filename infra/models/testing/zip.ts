import { crc32, deflateRawSync } from 'node:zlib';

/** Builds a zip file of the given members, every second one deflated. */
export function zipOf(members: Readonly<Record<string, Uint8Array>>): Buffer {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [index, [name, bytes]] of Object.entries(members).entries()) {
    const method = index % 2 === 1 ? 8 : 0;
    const data = method === 8 ? deflateRawSync(bytes) : Buffer.from(bytes);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(Buffer.byteLength(name), 26);
    // The local header's extra field has a length of its own.
    local.writeUInt16LE(4, 28);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(crc32(bytes), 16);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt32LE(bytes.length, 24);
    entry.writeUInt16LE(Buffer.byteLength(name), 28);
    entry.writeUInt32LE(offset, 42);
    const whole = Buffer.concat([local, Buffer.from(name), Buffer.alloc(4), data]);
    parts.push(whole);
    entries.push(Buffer.concat([entry, Buffer.from(name)]));
    offset += whole.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
}
