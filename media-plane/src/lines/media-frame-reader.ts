import { decodeBase64, NOT_BASE64 } from './base64.js';

/** What a media message carries, as far as its codec looks at it. The audio is reused by the next message. */
export interface UsualMedia {
  readonly track: 'inbound' | undefined;
  readonly chunk: number | undefined;
  readonly timestamp: number | undefined;
  readonly payload: Uint8Array;
}

export interface MediaFrameReaderOptions {
  /** Whether the chunk's number may come as text (`"chunk":"3"`). */
  readonly quotedChunks: boolean;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const ASCII_END = 0x80;
/** More digits may not be exact as a number. */
const MOST_DIGITS = 15;
/** Messages with more audio are left to JSON's parser, in bytes: 100 ms of L16 at 16,000 Hz, five frames. */
const MOST_AUDIO_BYTES = 3200;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const EVENT = bytesOf('event');
const MEDIA = bytesOf('media');
const TRACK = bytesOf('track');
const INBOUND = bytesOf('inbound');
const CHUNK = bytesOf('chunk');
const TIMESTAMP = bytesOf('timestamp');
const PAYLOAD = bytesOf('payload');

/**
 * Reads a carrier's media messages straight from their bytes: fifty a second of each call, of which JSON's parser makes
 * an object with a new string for every number. It takes only what is surely the same to both: one level of plain values
 * around `media`, texts of ASCII without escapes, every field once, base64 without anything else in it. All other
 * messages, also those that are wrong, are JSON's.
 */
export class MediaFrameReader {
  readonly #options: MediaFrameReaderOptions;
  readonly #audio = new Uint8Array(MOST_AUDIO_BYTES);
  /** The audio of the last message; another view only where the length changes. */
  #view = this.#audio.subarray(0, 0);
  #message: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** The text that was read last, without its quotes. */
  #from = 0;
  #to = 0;
  #track: 'inbound' | undefined;
  #chunk: number | undefined;
  #timestamp: number | undefined;
  #hasPayload = false;

  constructor(options: MediaFrameReaderOptions) {
    this.#options = options;
  }

  /** Returns what the message carries; undefined for one that JSON's parser has to look at. */
  read(message: Uint8Array): UsualMedia | undefined {
    this.#message = message;
    this.#at = 0;
    this.#track = undefined;
    this.#chunk = undefined;
    this.#timestamp = undefined;
    this.#hasPayload = false;
    if (!this.#readMessage() || this.#at !== message.length) return undefined;
    return { track: this.#track, chunk: this.#chunk, timestamp: this.#timestamp, payload: this.#view };
  }

  #readMessage(): boolean {
    let hasEvent = false;
    let hasMedia = false;
    if (!this.#take(OPEN)) return false;
    do {
      if (!this.#readKey()) return false;
      if (this.#isText(EVENT)) {
        if (hasEvent || !this.#readText() || !this.#isText(MEDIA)) return false;
        hasEvent = true;
      } else if (this.#isText(MEDIA)) {
        if (hasMedia || !this.#readMedia()) return false;
        hasMedia = true;
      } else if (!this.#skipValue()) {
        return false;
      }
    } while (this.#take(COMMA));
    return this.#take(CLOSE) && hasEvent && hasMedia && this.#hasPayload;
  }

  #readMedia(): boolean {
    if (!this.#take(OPEN)) return false;
    do {
      if (!this.#readKey() || !this.#readField()) return false;
    } while (this.#take(COMMA));
    return this.#take(CLOSE);
  }

  #readField(): boolean {
    if (this.#isText(PAYLOAD)) return !this.#hasPayload && this.#readPayload();
    if (this.#isText(CHUNK)) {
      if (this.#chunk !== undefined) return false;
      this.#chunk = this.#readNumber(this.#options.quotedChunks);
      return this.#chunk !== undefined;
    }
    if (this.#isText(TIMESTAMP)) {
      if (this.#timestamp !== undefined) return false;
      this.#timestamp = this.#readNumber(true);
      return this.#timestamp !== undefined;
    }
    if (this.#isText(TRACK)) {
      if (this.#track !== undefined || !this.#readText() || !this.#isText(INBOUND)) return false;
      this.#track = 'inbound';
      return true;
    }
    return this.#skipValue();
  }

  #readPayload(): boolean {
    if (!this.#readText()) return false;
    const length = decodeBase64(this.#message, this.#from, this.#to, this.#audio);
    if (length === NOT_BASE64) return false;
    if (this.#view.length !== length) this.#view = this.#audio.subarray(0, length);
    this.#hasPayload = true;
    return true;
  }

  #readNumber(mayBeQuoted: boolean): number | undefined {
    if (!mayBeQuoted || !this.#take(QUOTE)) return this.#readDigits(false);
    const value = this.#readDigits(true);
    return value !== undefined && this.#message[this.#at++] === QUOTE ? value : undefined;
  }

  /** @param isText whether leading zeros are allowed, as in a text, where JSON's numbers have none */
  #readDigits(isText: boolean): number | undefined {
    if (!isText) this.#skipSpaces();
    const message = this.#message;
    const from = this.#at;
    let value = 0;
    for (; this.#at < message.length; this.#at++) {
      const byte = message[this.#at]!;
      if (byte < ZERO || byte > NINE) break;
      value = value * 10 + (byte - ZERO);
    }
    const digits = this.#at - from;
    if (digits === 0 || digits > MOST_DIGITS) return undefined;
    return !isText && digits > 1 && message[from] === ZERO ? undefined : value;
  }

  #skipValue(): boolean {
    this.#skipSpaces();
    return this.#message[this.#at] === QUOTE ? this.#readText() : this.#readDigits(false) !== undefined;
  }

  #readKey(): boolean {
    return this.#readText() && this.#take(COLON);
  }

  /** Reads a text that means what its bytes say. */
  #readText(): boolean {
    if (!this.#take(QUOTE)) return false;
    const message = this.#message;
    let at = this.#at;
    this.#from = at;
    for (; at < message.length; at++) {
      const byte = message[at]!;
      if (byte === QUOTE) {
        this.#to = at;
        this.#at = at + 1;
        return true;
      }
      if (byte < SPACE || byte === BACKSLASH || byte >= ASCII_END) return false;
    }
    return false;
  }

  /** Returns whether the text that was read last is this one. */
  #isText(text: Uint8Array): boolean {
    const from = this.#from;
    if (this.#to - from !== text.length) return false;
    for (let n = 0; n < text.length; n++) if (this.#message[from + n] !== text[n]) return false;
    return true;
  }

  #take(byte: number): boolean {
    this.#skipSpaces();
    if (this.#message[this.#at] !== byte) return false;
    this.#at++;
    return true;
  }

  #skipSpaces(): void {
    while (this.#message[this.#at] === SPACE) this.#at++;
  }
}
