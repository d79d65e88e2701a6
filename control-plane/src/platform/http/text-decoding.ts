import { Transform, type TransformCallback } from 'node:stream';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** The bytes are no text in a known encoding. */
export class UnreadableTextError extends Error {
  override readonly name = 'UnreadableTextError';
}

/** Finds the encoding by its byte order mark, or by where the zero bytes of its first (ASCII) characters are. */
function encodingOf(start: Buffer): Encoding {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  if (start.length >= 2 && start[0] !== 0 && start[1] === 0) return 'utf-16le';
  if (start.length >= 2 && start[0] === 0 && start[1] !== 0) return 'utf-16be';
  return 'utf-8';
}

/** Decodes a stream of bytes as they come: UTF-8 or UTF-16, with or without a byte order mark. */
export class TextDecoding extends Transform {
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #start: Buffer = Buffer.alloc(0);

  constructor() {
    super({ readableObjectMode: false, decodeStrings: true, encoding: 'utf8' });
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (!this.#decoder) {
      this.#start = Buffer.concat([this.#start, chunk]);
      if (this.#start.length < 4) done();
      else this.#decode(this.#begin(), true, done);
      return;
    }
    this.#decode(chunk, true, done);
  }

  override _flush(done: TransformCallback): void {
    this.#decode(this.#decoder ? Buffer.alloc(0) : this.#begin(), false, done);
  }

  #begin(): Buffer {
    // The decoder takes a byte order mark away by itself.
    this.#decoder = new TextDecoder(encodingOf(this.#start), { fatal: true });
    return this.#start;
  }

  #decode(bytes: Buffer, stream: boolean, done: TransformCallback): void {
    try {
      done(null, this.#decoder!.decode(bytes, { stream }));
    } catch (cause) {
      done(new UnreadableTextError('neither UTF-8 nor UTF-16', { cause }));
    }
  }
}
