import type { RealtimeEvent } from '../port.js';
import type { TranscriptionUsage } from './server-events.js';
import { usageOfTranscription } from './usage.js';

/** Turns whose transcript is still growing; more than a call ever has at a time. */
const MAX_GROWING = 32;
/** What is kept of one turn, in characters: the server may be a tenant's. */
const LONGEST_TURN = 20_000;

/** Gathers what the caller said from pieces. */
export class Transcripts {
  readonly #emit: (event: RealtimeEvent) => void;
  readonly #growing = new Map<string, string>();

  constructor(emit: (event: RealtimeEvent) => void) {
    this.#emit = emit;
  }

  onDelta(item: string, delta: string): void {
    if (delta === '') return;
    const text = ((this.#growing.get(item) ?? '') + delta).slice(0, LONGEST_TURN);
    this.#growing.set(item, text);
    if (this.#growing.size > MAX_GROWING) this.#growing.delete(this.#growing.keys().next().value ?? '');
    this.#emit({ type: 'caller_transcript', item, text: text.trim(), final: false });
  }

  onCompleted(item: string, text: string, usage: TranscriptionUsage | null | undefined): void {
    this.#growing.delete(item);
    this.#emit({ type: 'caller_transcript', item, text: text.trim(), final: true });
    const billed = usageOfTranscription(usage);
    if (billed) this.#emit({ type: 'usage', usage: billed, of: 'transcription' });
  }

  /** Keeps what is known of an item: nobody should wait for more. */
  onFailed(item: string): void {
    const text = (this.#growing.get(item) ?? '').trim();
    this.#growing.delete(item);
    this.#emit({ type: 'caller_transcript', item, text, final: true });
  }
}
