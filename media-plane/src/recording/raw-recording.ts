import { closeSync, openSync, readSync } from 'node:fs';
import type { AudioFormat } from '@voice/shared/audio/format';
import { ServiceError } from '@voice/shared/errors/service-error';
import { z } from 'zod';
import type { Lane } from './timeline.js';

/**
 * What a live call's recording is on disk: the line's own bytes, frame by frame, with their positions. A header
 * of 64 bytes (magic and JSON of the format, filled with spaces), then records: lane, reserved byte, length
 * (u16), position in ms (f64), all little-endian, and the bytes. It is only ever appended to, so after a crash
 * everything up to the last whole record is good.
 */
const MAGIC = 'VREC1';
const HEADER_BYTES = 64;
const RECORD_HEADER_BYTES = 12;
const LANES = ['caller', 'agent', 'time'] as const;
/** Read at a time. */
const CHUNK_BYTES = 256 * 1024;

/** A frame of a lane, or just how far the time has come (`time`, without bytes). */
export interface RawRecord {
  readonly lane: Lane | 'time';
  readonly atMs: number;
  /** Valid until the next record. */
  readonly bytes: Uint8Array;
}

const headerJson = z.object({
  encoding: z.enum(['pcmu', 'pcma', 'l16']),
  sampleRate: z.union([z.literal(8000), z.literal(16_000), z.literal(24_000), z.literal(48_000)]),
});

export function rawHeader({ encoding, sampleRate }: AudioFormat): Uint8Array {
  const text = MAGIC + JSON.stringify({ encoding, sampleRate });
  return new TextEncoder().encode(text.padEnd(HEADER_BYTES, ' '));
}

/** Records on their way to disk, one behind the other. */
export class RawBlock {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #length = 0;

  /** @param capacity bytes */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Copies a record; false when it does not fit any more. */
  append(lane: RawRecord['lane'], atMs: number, bytes: Uint8Array): boolean {
    const end = this.#length + RECORD_HEADER_BYTES + bytes.length;
    if (end > this.#bytes.length) return false;
    this.#view.setUint8(this.#length, LANES.indexOf(lane));
    this.#view.setUint16(this.#length + 2, bytes.length, true);
    this.#view.setFloat64(this.#length + 4, atMs, true);
    this.#bytes.set(bytes, this.#length + RECORD_HEADER_BYTES);
    this.#length = end;
    return true;
  }

  clear(): void {
    this.#length = 0;
  }
}

/** Reads a recording from its beginning. Synchronous: it belongs to a thread that does nothing else. */
export class RawReader {
  readonly format: AudioFormat;
  readonly #file: number;
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  #from = 0;
  #length = 0;

  /** @throws ServiceError `recording_unreadable` for a file that is no recording */
  constructor(path: string) {
    this.#file = openSync(path, 'r');
    try {
      this.format = this.#readHeader();
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** Reads every whole record; what was cut off at the end is left out. */
  *records(): Generator<RawRecord, void, void> {
    while (this.#fill(RECORD_HEADER_BYTES)) {
      const lane = LANES[this.#chunk.readUInt8(this.#from)];
      const length = this.#chunk.readUInt16LE(this.#from + 2);
      const atMs = this.#chunk.readDoubleLE(this.#from + 4);
      if (lane === undefined) return;
      if (!this.#fill(RECORD_HEADER_BYTES + length)) return;
      const start = this.#from + RECORD_HEADER_BYTES;
      this.#from = start + length;
      yield { lane, atMs, bytes: this.#chunk.subarray(start, start + length) };
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #readHeader(): AudioFormat {
    const text = this.#fill(HEADER_BYTES) ? this.#chunk.toString('utf8', 0, HEADER_BYTES) : '';
    if (!text.startsWith(MAGIC)) throw unreadable('it has no header');
    this.#from = HEADER_BYTES;
    try {
      return headerJson.parse(JSON.parse(text.slice(MAGIC.length)));
    } catch (error) {
      throw unreadable(`its header is not as expected: ${String(error)}`);
    }
  }

  /** Makes sure that so many bytes are in the chunk; false at the end of the file. */
  #fill(bytes: number): boolean {
    if (this.#length - this.#from >= bytes) return true;
    this.#chunk.copyWithin(0, this.#from, this.#length);
    this.#length -= this.#from;
    this.#from = 0;
    while (this.#length < bytes) {
      const read = readSync(this.#file, this.#chunk, this.#length, CHUNK_BYTES - this.#length, null);
      if (read === 0) return false;
      this.#length += read;
    }
    return true;
  }
}

function unreadable(cause: string): ServiceError {
  return new ServiceError({
    code: 'recording_unreadable',
    status: 500,
    message: 'The file is not a recording.',
    cause,
  });
}
