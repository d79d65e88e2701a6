import { CommandError, codes } from '../errors/errors.js';
import {
  Binary,
  Code,
  Decimal128,
  type Doc,
  Double,
  Int32,
  MaxKey,
  MinKey,
  ObjectId,
  Regex,
  Timestamp,
  UtcDate,
  type Value,
} from './values.js';

/** Deepest nesting that MongoDB accepts. */
const MAX_DEPTH = 180;
const MAX_MILLIS = BigInt(Number.MAX_SAFE_INTEGER);

/** Names come again and again: the last one of each hash is kept, so that most need not be made anew. */
const NAME_SLOTS = 1024;
const names: (string | undefined)[] = new Array(NAME_SLOTS).fill(undefined);

/** Checks whether bytes are the ASCII text of a name. */
function spells(name: string, bytes: Buffer, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at);
    if (unit !== bytes[start + at] || unit > 127) return false;
  }
  return true;
}

/** Decodes the BSON document that starts at `offset`. Throws InvalidBSON (22) on malformed input. */
export function decodeDocument(bytes: Buffer, offset = 0): Doc {
  return new Reader(bytes, offset).document(0);
}

/** Reads the length in bytes of the BSON document that starts at `offset`, checked against the buffer's end. */
export function documentLength(bytes: Buffer, offset: number): number {
  if (offset + 5 > bytes.length) throw invalid('document is shorter than five bytes');
  const length = bytes.readInt32LE(offset);
  if (length < 5 || offset + length > bytes.length || bytes[offset + length - 1] !== 0) {
    throw invalid(`document length ${length} does not fit its buffer`);
  }
  return length;
}

function invalid(reason: string): CommandError {
  return new CommandError(codes.InvalidBSON, `Invalid BSON: ${reason}`);
}

class Reader {
  constructor(
    private readonly bytes: Buffer,
    private at: number,
  ) {}

  document(depth: number): Doc {
    const end = this.enter(depth);
    const doc: Doc = new Map();
    let fields = 0;
    while (this.at < end) {
      const type = this.bytes[this.at++] as number;
      const name = this.cstring();
      doc.set(name, this.value(type, depth + 1, name));
      fields++;
    }
    if (doc.size !== fields) throw invalid('a document that names a field twice is not supported');
    this.leave(end);
    return doc;
  }

  private array(depth: number): Value[] {
    const end = this.enter(depth);
    const items: Value[] = [];
    while (this.at < end) {
      const type = this.bytes[this.at++] as number;
      while (this.bytes[this.at] !== 0) this.at++; // indexes as names carry no information
      this.at++;
      items.push(this.value(type, depth + 1, String(items.length)));
    }
    this.leave(end);
    return items;
  }

  private enter(depth: number): number {
    if (depth > MAX_DEPTH) throw new CommandError(codes.Overflow, 'BSON nesting exceeds 180 levels');
    const end = this.at + documentLength(this.bytes, this.at) - 1;
    this.at += 4;
    return end;
  }

  private leave(end: number): void {
    if (this.at !== end) throw invalid('a field reaches over the end of its document');
    this.at = end + 1;
  }

  private take(size: number): number {
    const start = this.at;
    if (size < 0 || start + size > this.bytes.length)
      throw invalid('a field reaches over the end of its buffer');
    this.at = start + size;
    return start;
  }

  private cstring(): string {
    const { bytes } = this;
    const start = this.at;
    let hash = 0;
    let end = start;
    for (let unit = bytes[end]; unit !== 0; unit = bytes[++end]) {
      if (unit === undefined) throw invalid('unterminated name');
      hash = (hash * 31 + unit) | 0;
    }
    this.at = end + 1;
    const slot = hash & (NAME_SLOTS - 1);
    const known = names[slot];
    if (known !== undefined && spells(known, bytes, start, end)) return known;
    const name = bytes.toString('utf8', start, end);
    names[slot] = name;
    return name;
  }

  private string(): string {
    const length = this.bytes.readInt32LE(this.take(4));
    if (length < 1) throw invalid('string without terminator');
    const start = this.take(length);
    if (this.bytes[start + length - 1] !== 0) throw invalid('string without terminator');
    return this.bytes.toString('utf8', start, start + length - 1);
  }

  private value(type: number, depth: number, name: string): Value {
    switch (type) {
      case 0x01:
        return new Double(this.bytes.readDoubleLE(this.take(8)));
      case 0x02:
        return this.string();
      case 0x03:
        return this.document(depth);
      case 0x04:
        return this.array(depth);
      case 0x05: {
        const length = this.bytes.readInt32LE(this.take(4));
        const subtype = this.bytes[this.take(1)] as number;
        const start = this.take(length);
        return new Binary(subtype, Buffer.from(this.bytes.subarray(start, start + length)));
      }
      case 0x07: {
        const start = this.take(12);
        return new ObjectId(Buffer.from(this.bytes.subarray(start, start + 12)));
      }
      case 0x08:
        return this.bytes[this.take(1)] !== 0;
      case 0x09: {
        const millis = this.bytes.readBigInt64LE(this.take(8));
        if (millis > MAX_MILLIS || millis < -MAX_MILLIS)
          throw invalid(`the date in '${name}' is out of range`);
        return new UtcDate(Number(millis));
      }
      case 0x0a:
        return null;
      case 0x0b: {
        const pattern = this.cstring();
        return new Regex(pattern, this.cstring());
      }
      case 0x0d:
        return new Code(this.string());
      case 0x0f: {
        this.take(4);
        const code = this.string();
        return new Code(code, this.document(depth));
      }
      case 0x10:
        return new Int32(this.bytes.readInt32LE(this.take(4)));
      case 0x11:
        return new Timestamp(this.bytes.readBigUInt64LE(this.take(8)));
      case 0x12:
        return this.bytes.readBigInt64LE(this.take(8));
      case 0x13: {
        const start = this.take(16);
        return new Decimal128(Uint8Array.from(this.bytes.subarray(start, start + 16)));
      }
      case 0x7f:
        return MaxKey.instance;
      case 0xff:
        return MinKey.instance;
      default:
        // 0x06 undefined, 0x0c DBPointer and 0x0e Symbol are deprecated in BSON and sent by no current driver.
        throw invalid(`type 0x${type.toString(16).padStart(2, '0')} of field '${name}' is not supported`);
    }
  }
}
