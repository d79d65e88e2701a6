import { AudioConverter } from '@voice/shared/audio/converter';
import { type AudioFormat, L16_24K } from '@voice/shared/audio/format';
import type { Dialect, DialectOutput } from '../socket-session/dialect.js';
import { errorOfItem, errorOfSession, isOfItemAlone } from './errors.js';
import { parseServerEvent, type ServerEvent } from './messages.js';
import { type Span, SpeechSpan } from './speech-span.js';

/** The service says nothing of how sure it is. */
const INTERIM_CONFIDENCE = 0.6;
const FINAL_CONFIDENCE = 0.9;
/** Silence of the length that was asked for, and no more, speaks for the end. */
const END_OF_TURN_CONFIDENCE = 0.5;

/** Turns that wait for their end, more than a call ever has, and what is kept of one: the server may be a tenant's. */
const MOST_ITEMS = 100;
const LONGEST_TURN = 20_000;
/** Items in a row that the service fails to transcribe, after which the session is given up: one may be chance. */
const MOST_UNTRANSCRIBED = 2;
const COMMIT = JSON.stringify({ type: 'input_audio_buffer.commit' });

/** A stretch of speech that is transcribed as one. */
interface Item {
  text: string;
  /** Where it is heard, in ms. */
  span: Span | undefined;
  /** Up to where it takes the audio, in ms. */
  readonly endMs: number | undefined;
}

interface TranscriptionDialectOptions {
  readonly format: AudioFormat;
  /** `session.update`. */
  readonly configuration: unknown;
  /** Whether the service ends items by itself; else we do, and their text comes while they last. */
  readonly findsTurns: boolean;
}

/**
 * A transcription session of the Realtime API (developers.openai.com/api/docs/guides/realtime-transcription). Models
 * that stream (`gpt-live-transcribe`) write while somebody speaks, and end an item at a commit; others
 * have the service's detector find that, and write afterwards.
 */
export class TranscriptionDialect implements Dialect {
  readonly chunkMs = 100;
  readonly keepAlive = undefined;
  readonly closeStream = undefined;
  readonly greeting: readonly string[];
  readonly #findsTurns: boolean;
  readonly #span: SpeechSpan;
  readonly #converter: AudioConverter | undefined;
  readonly #items = new Map<string, Item>();
  /** Commits that the service has not named yet. */
  readonly #commits: { readonly span: Span | undefined; readonly endMs: number }[] = [];
  #hasText = false;
  #untranscribedInRow = 0;

  constructor({ format, configuration, findsTurns }: TranscriptionDialectOptions) {
    this.greeting = [JSON.stringify(configuration)];
    this.#findsTurns = findsTurns;
    this.#span = new SpeechSpan(format);
    const sends = sentFormat(format);
    if (sends !== format) this.#converter = new AudioConverter({ from: format, to: sends });
  }

  encode(audio: Uint8Array): string {
    this.#span.push(audio);
    const sent = this.#converter ? this.#converter.convert(audio) : audio;
    return JSON.stringify({ type: 'input_audio_buffer.append', audio: Buffer.from(sent).toString('base64') });
  }

  finalize(): string | undefined {
    const { span } = this.#span;
    if (this.#findsTurns || (span === undefined && !this.#hasText)) return undefined;
    this.#commits.push({ span, endMs: this.#span.atMs });
    this.#span.reset();
    this.#hasText = false;
    return COMMIT;
  }

  decode(raw: unknown): readonly DialectOutput[] {
    const event = parseServerEvent(raw);
    return event === undefined ? [] : this.#take(event);
  }

  #take(event: ServerEvent): readonly DialectOutput[] {
    switch (event.type) {
      case 'input_audio_buffer.speech_started': {
        const atMs = event.audio_start_ms;
        this.#keep(event.item_id, { text: '', span: { startMs: atMs, endMs: atMs }, endMs: undefined });
        return [{ type: 'speech_started', atMs }];
      }
      case 'input_audio_buffer.speech_stopped': {
        const { audio_end_ms: endMs } = event;
        const startMs = this.#items.get(event.item_id)?.span?.startMs ?? endMs;
        this.#keep(event.item_id, { text: '', span: { startMs, endMs }, endMs });
        return [];
      }
      case 'input_audio_buffer.committed': {
        const commit = this.#commits.shift();
        if (commit)
          this.#keep(event.item_id, { text: this.#items.get(event.item_id)?.text ?? '', ...commit });
        return [];
      }
      case 'conversation.item.input_audio_transcription.delta':
        return this.#delta(event.item_id, event.delta ?? '');
      case 'conversation.item.input_audio_transcription.completed':
        return this.#completed(event.item_id, event.transcript.trim());
      case 'conversation.item.input_audio_transcription.failed':
        return this.#untranscribed(event.item_id, event.error.code ?? '', event.error.message ?? '');
      case 'error':
        return this.#error(event.error);
    }
  }

  #keep(id: string, item: Item): void {
    this.#items.set(id, item);
    if (this.#items.size > MOST_ITEMS) this.#items.delete(this.#items.keys().next().value ?? '');
  }

  #delta(id: string, delta: string): readonly DialectOutput[] {
    const item = this.#items.get(id) ?? { text: '', span: undefined, endMs: undefined };
    item.text = (item.text + delta).slice(0, LONGEST_TURN);
    this.#keep(id, item);
    this.#hasText ||= item.endMs === undefined;
    const text = item.text.trim();
    if (text === '') return [];
    return [
      { type: 'transcript', text, final: false, confidence: INTERIM_CONFIDENCE, ...this.#placeOf(item) },
    ];
  }

  #completed(id: string, text: string): readonly DialectOutput[] {
    const item = this.#items.get(id) ?? { text: '', span: undefined, endMs: undefined };
    this.#items.delete(id);
    this.#untranscribedInRow = 0;
    const beforeMs = item.endMs ?? this.#span.atMs;
    const settled: DialectOutput = { type: 'settled', beforeMs, fromFinalize: !this.#findsTurns };
    if (text === '') return [settled];
    const place = this.#placeOf(item);
    return [
      { type: 'transcript', text, final: true, confidence: FINAL_CONFIDENCE, ...place },
      settled,
      ...(this.#findsTurns
        ? [{ type: 'end_of_turn' as const, decided: false, confidence: END_OF_TURN_CONFIDENCE }]
        : []),
    ];
  }

  /** Settles nothing where the service failed: the session that takes over hears it again. */
  #untranscribed(id: string, code: string, message: string): readonly DialectOutput[] {
    const report: DialectOutput = { type: 'provider_error', code, message };
    if (isOfItemAlone(code)) return [report, ...this.#completed(id, '')];
    this.#items.delete(id);
    this.#untranscribedInRow += 1;
    const error = errorOfItem(code, message);
    const goesOn = error.retryable && this.#untranscribedInRow < MOST_UNTRANSCRIBED;
    return goesOn ? [report] : [report, { type: 'failed', error }];
  }

  #placeOf({ span, endMs }: Item): Span {
    return span ?? this.#span.span ?? { startMs: 0, endMs: endMs ?? this.#span.atMs };
  }

  #error({ type, code, message }: { type: string; code?: string | null | undefined; message: string }) {
    // There was too little to commit: nothing is lost by that.
    if (code === 'input_audio_buffer_commit_empty') {
      // Commits are answered in their order: the first that has no answer is the one that was refused.
      this.#commits.shift();
      return [];
    }
    const name = code ?? type;
    const report: DialectOutput = { type: 'provider_error', code: name, message };
    if (type !== 'invalid_request_error' && type !== 'authentication_error') return [report];
    // After an hour; the service closes the connection, and another one takes over.
    if (name === 'session_expired') return [report];
    return [report, { type: 'failed', error: errorOfSession(name, message) } satisfies DialectOutput];
  }
}

/** The service takes G.711 as it is, and linear audio at 24 kHz. */
export function sentFormat(format: AudioFormat): AudioFormat {
  return format.encoding === 'l16' && format.sampleRate !== L16_24K.sampleRate ? L16_24K : format;
}
