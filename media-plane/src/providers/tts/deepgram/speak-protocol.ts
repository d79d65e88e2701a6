import type { Deepgram } from '@deepgram/sdk';
import type { Clock } from '@voice/shared/clock/clock';
import { z } from 'zod';
import type { SpeechOutput, SpeechProtocol } from '../socket-voice/protocol.js';
import { ttsError } from './errors.js';
import { FlushBudget } from './flush-budget.js';

/** Characters of one Speak message (developers.deepgram.com, "Streaming Text to Speech", limits). */
const LONGEST_TEXT = 2000;
/** Flushes that a turn must find, or it gets another connection: for its first words, its end, and some between. */
const FLUSHES_OF_A_TURN = 6;

const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('Metadata') }),
  z.object({ type: z.literal('Flushed'), sequence_id: z.number() }),
  z.object({ type: z.literal('Cleared'), sequence_id: z.number() }),
  z.object({ type: z.literal('Warning'), description: z.string().default(''), code: z.string().default('') }),
  z.object({ type: z.literal('Error'), description: z.string().default(''), code: z.string().default('') }),
]);

/** The compiler's proof that what the vendor's SDK declares is what we read and send. */
type VendorMessage = Deepgram.speak.SpeakV1Metadata | Deepgram.speak.SpeakV1Warning;
type SpeakAgreesWithSdk = VendorMessage extends z.input<typeof message> ? true : never;
const agrees: SpeakAgreesWithSdk = true;
type ClientMessage =
  | Deepgram.speak.SpeakV1Text
  | Deepgram.speak.SpeakV1Flush
  | Deepgram.speak.SpeakV1Clear
  | Deepgram.speak.SpeakV1Close;
const write = (sent: ClientMessage) => JSON.stringify(agrees && sent);

/**
 * `/v1/speak` over WebSocket (developers.deepgram.com/reference/text-to-speech/speak-streaming): text is gathered until
 * a Flush, whose audio is followed by Flushed. Audio does not say of which text it is, so what comes between a Clear and
 * its Cleared is dropped.
 */
export class SpeakProtocol implements SpeechProtocol {
  readonly #flushes: FlushBudget;
  /** Flushes of the turn that are not yet answered. */
  #awaited = 0;
  /** Clears that are not yet answered. */
  #clearing = 0;
  #hasUnflushed = false;
  #isTextEnded = false;

  constructor(clock: Clock) {
    this.#flushes = new FlushBudget(() => clock.monotonic());
  }

  get isWorn(): boolean {
    return this.#flushes.left < FLUSHES_OF_A_TURN;
  }

  get isDone(): boolean {
    return this.#isTextEnded && this.#awaited === 0 && !this.#hasUnflushed;
  }

  begin(): void {
    this.#awaited = 0;
    this.#hasUnflushed = false;
    this.#isTextEnded = false;
  }

  say(text: string): readonly string[] {
    this.#hasUnflushed = true;
    const messages = pieces(`${text} `).map((piece) => write({ type: 'Speak', text: piece }));
    // The last flush is for the end of the text: without it, nothing says that all audio has come.
    return this.#flushes.left > 1 ? [...messages, this.#flush()] : messages;
  }

  endOfText(): readonly string[] {
    this.#isTextEnded = true;
    return this.#hasUnflushed ? [this.#flush()] : [];
  }

  cancel(): readonly string[] {
    this.#clearing += 1;
    return [write({ type: 'Clear' })];
  }

  farewell(): readonly string[] {
    return [write({ type: 'Close' })];
  }

  readBinary(audio: Uint8Array): readonly SpeechOutput[] {
    return this.#clearing > 0 ? [] : [{ type: 'audio', audio }];
  }

  readText(text: string): readonly SpeechOutput[] {
    const read = parse(text);
    if (!read) {
      const error = ttsError(
        'protocol_violation',
        'deepgram sent something unreadable',
        true,
        new Error(text),
      );
      return [{ type: 'failed', error }];
    }
    switch (read.type) {
      case 'Metadata':
        return [];
      case 'Flushed':
        return this.#flushed();
      case 'Cleared':
        this.#clearing = Math.max(0, this.#clearing - 1);
        return [];
      case 'Warning':
        return [{ type: 'warning', message: `${read.code}: ${read.description}` }];
      case 'Error': {
        const cause = new Error(`${read.code}: ${read.description}`);
        return [{ type: 'failed', error: ttsError('unavailable', 'deepgram failed', true, cause) }];
      }
    }
  }

  #flush(): string {
    this.#flushes.spend();
    this.#awaited += 1;
    this.#hasUnflushed = false;
    return write({ type: 'Flush' });
  }

  #flushed(): readonly SpeechOutput[] {
    if (this.#clearing > 0 || this.#awaited === 0) return [];
    this.#awaited -= 1;
    return this.isDone ? [{ type: 'done' }] : [];
  }
}

function parse(text: string): z.infer<typeof message> | undefined {
  try {
    const parsed = message.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Cuts a text to what one message may hold, between words where there are any. */
function pieces(text: string): string[] {
  const cut: string[] = [];
  let rest = text;
  while (rest.length > LONGEST_TEXT) {
    const space = rest.lastIndexOf(' ', LONGEST_TEXT - 1);
    const at = space > 0 ? space + 1 : LONGEST_TEXT;
    cut.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...cut, rest];
}
