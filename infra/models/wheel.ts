import { type FileHandle, open } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';

/** The end of a zip file without comment, and the longest that a comment makes it (APPNOTE 4.3.16). */
const END_BYTES = 22;
const LONGEST_END_BYTES = END_BYTES + 65_535;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
/** A size or offset that is elsewhere: zip64, which a wheel below 4 GB does not need. */
const ZIP64 = 0xffffffff;

interface Entry {
  readonly method: number;
  readonly crc: number;
  readonly compressed: number;
  readonly size: number;
  readonly offset: number;
}

/** Reads single members of a wheel (a zip file): their bytes, checked against the recorded CRC. */
export async function readMembers(
  wheel: string,
  paths: readonly string[],
  take: (path: string, bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const file = await open(wheel);
  try {
    const entries = await directory(file, (await file.stat()).size);
    for (const path of paths) {
      const entry = entries.get(path);
      if (!entry) throw new Error(`${wheel} has no ${path}`);
      await take(path, await memberOf(file, path, entry));
    }
  } finally {
    await file.close();
  }
}

async function directory(file: FileHandle, size: number): Promise<Map<string, Entry>> {
  const tail = await read(file, Math.max(0, size - LONGEST_END_BYTES), Math.min(size, LONGEST_END_BYTES));
  let end = tail.length - END_BYTES;
  while (end >= 0 && tail.readUInt32LE(end) !== END_SIGNATURE) end--;
  if (end < 0) throw new Error('not a zip file');
  const bytes = await read(file, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
  const entries = new Map<string, Entry>();
  for (let at = 0; at < bytes.length; ) {
    if (bytes.readUInt32LE(at) !== ENTRY_SIGNATURE) throw new Error('the zip file’s directory is damaged');
    const nameLength = bytes.readUInt16LE(at + 28);
    const entry = {
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      compressed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
    };
    entries.set(bytes.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength), entry);
    at += ENTRY_BYTES + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

async function memberOf(file: FileHandle, path: string, entry: Entry): Promise<Uint8Array> {
  const { method, compressed, size, offset, crc } = entry;
  if ([compressed, size, offset].includes(ZIP64)) throw new Error(`${path} is stored as zip64`);
  const local = await read(file, offset, LOCAL_BYTES);
  if (local.readUInt32LE(0) !== LOCAL_SIGNATURE) throw new Error(`${path} is not where the directory says`);
  // Name and extra field of the local header may differ in length from the directory's.
  const data = await read(
    file,
    offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28),
    compressed,
  );
  const bytes = inflated(data, method, size, path);
  if (bytes.length !== size || crc32(bytes) !== crc) throw new Error(`${path} is damaged in the zip file`);
  return bytes;
}

function inflated(data: Uint8Array, method: number, size: number, path: string): Uint8Array {
  if (method === 0) return data;
  if (method === 8) return inflateRawSync(data, { maxOutputLength: size });
  throw new Error(`${path} is compressed by method ${method}, which is not supported`);
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  if (bytesRead !== length) throw new Error('the zip file ends too early');
  return bytes;
}
