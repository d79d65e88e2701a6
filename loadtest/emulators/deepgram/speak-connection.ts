import { randomUUID } from 'node:crypto';
import { convertAudio } from '@voice/shared/audio/converter';
import { PCMU_8K } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { fallSilent, type Pace, pacedAudio } from '../serving/paced-audio.js';
import { type SpeechFault, type SpeechFaults, takeSpeechFault } from '../serving/speech-faults.js';
import type { SpeechSource } from '../synthesis/speech.js';
import type { SpeakCounters } from './options.js';
import type { Speak } from './speak-query.js';

/** developers.deepgram.com, "Streaming Text to Speech" and "Flush", limits. */
const LONGEST_TEXT = 2000;
const FLUSHES = 20;
const FLUSH_WINDOW_MS = 60_000;

const clientMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('Speak'), text: z.string() }),
  z.strictObject({ type: z.literal('Flush') }),
  z.strictObject({ type: z.literal('Clear') }),
  z.strictObject({ type: z.literal('Close') }),
]);

export interface SpeakContext {
  readonly source: SpeechSource;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly faults: SpeechFaults;
  readonly counters: SpeakCounters;
}

/** Serves one accepted WebSocket of `/v1/speak`: text is gathered until a Flush, and spoken in order. */
export class SpeakConnection {
  readonly #socket: WebSocket;
  readonly #speak: Speak;
  readonly #context: SpeakContext;
  #gathered = '';
  #sequence = 0;
  #flushedAt: number[] = [];
  #closing = false;
  #audioMs = 0;
  #fault: SpeechFault | undefined;
  /** Ended by a Clear and with the connection; the generations after it have another. */
  #generation = new AbortController();
  /** Generations follow one another. */
  #work: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, speak: Speak, context: SpeakContext) {
    this.#socket = socket;
    this.#speak = speak;
    this.#context = context;
    context.counters.connections += 1;
    context.counters.open += 1;
    socket.on('message', (data: Buffer, isBinary) => this.#received(data, isBinary));
    socket.on('error', () => {});
    socket.on('close', () => {
      context.counters.open -= 1;
      this.#generation.abort();
    });
    this.#send({
      type: 'Metadata',
      request_id: randomUUID(),
      model_name: speak.model,
      model_version: '2025-04-15.0',
      model_uuid: randomUUID(),
    });
  }

  #received(data: Buffer, isBinary: boolean): void {
    if (this.#closing) return;
    const parsed = isBinary ? undefined : clientMessage.safeParse(json(data.toString('utf8')));
    if (!parsed?.success) {
      this.#violation('DATA-0000: the message is not one of Speak, Flush, Clear and Close');
      return;
    }
    switch (parsed.data.type) {
      case 'Speak':
        this.#gather(parsed.data.text);
        return;
      case 'Flush':
        this.#flush();
        return;
      case 'Clear':
        this.#clear();
        return;
      case 'Close':
        this.#generate();
        void this.#work.then(() => this.#close(1000, ''));
    }
  }

  #gather(text: string): void {
    if (text.length > LONGEST_TEXT) {
      this.#violation('DATA-0001: the text is longer than 2000 characters');
      return;
    }
    this.#gathered += text;
    this.#context.counters.characters += text.trim().length;
  }

  #flush(): void {
    const { clock, counters } = this.#context;
    const now = clock.monotonic();
    this.#flushedAt = this.#flushedAt.filter((at) => at > now - FLUSH_WINDOW_MS);
    if (this.#flushedAt.length >= FLUSHES) {
      counters.ignoredFlushes += 1;
      const description = 'Flush is ignored: there were 20 in the last 60 seconds';
      this.#send({ type: 'Warning', code: 'EXCESSIVE_FLUSH', description });
      return;
    }
    this.#flushedAt.push(now);
    this.#generate();
    const { signal } = this.#generation;
    this.#work = this.#work.then(() => {
      if (!signal.aborted) this.#send({ type: 'Flushed', sequence_id: this.#sequence++ });
    });
  }

  #clear(): void {
    this.#context.counters.clears += 1;
    this.#gathered = '';
    this.#generation.abort();
    this.#generation = new AbortController();
    this.#fault = undefined;
    this.#audioMs = 0;
    this.#work = Promise.resolve();
    this.#send({ type: 'Cleared', sequence_id: this.#sequence++ });
  }

  #generate(): void {
    const text = this.#gathered;
    this.#gathered = '';
    if (text.trim() === '') return;
    const { signal } = this.#generation;
    this.#context.counters.generations += 1;
    this.#work = this.#work
      .then(() => this.#voice(text, signal))
      .catch((error: unknown) => {
        if (!signal.aborted) this.#close(1011, `NET-0000: ${String(error)}`);
      });
  }

  async #voice(text: string, gone: AbortSignal): Promise<void> {
    const { source, pace, clock, faults } = this.#context;
    gone.throwIfAborted();
    this.#fault ??= takeSpeechFault(faults);
    if (this.#fault === 'stall') await fallSilent(clock, gone);
    const { audio } = await source.render(text, gone);
    const { format } = this.#speak;
    const spoken = convertAudio(audio, { from: PCMU_8K, to: format });
    for await (const piece of pacedAudio(spoken, format, pace, clock, gone)) {
      if (this.#closing) return;
      if (this.#fault !== undefined && this.#audioMs >= faults.afterAudioMs) {
        await this.#breakOff(this.#fault, gone);
        return;
      }
      if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(piece.audio);
      this.#audioMs += piece.audioMs;
    }
  }

  async #breakOff(fault: SpeechFault, gone: AbortSignal): Promise<void> {
    switch (fault) {
      case 'drop':
        this.#closing = true;
        this.#socket.terminate();
        return;
      case 'error':
        this.#close(1011, 'NET-0000: failed on purpose');
        return;
      case 'garbage':
        this.#socket.send('<html>502 Bad Gateway</html>');
        return;
      case 'freeze':
      case 'stall':
        await fallSilent(this.#context.clock, gone);
    }
  }

  #violation(reason: string): void {
    this.#context.counters.violations += 1;
    this.#close(1008, reason);
  }

  #send(message: unknown): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #close(code: number, reason: string): void {
    this.#closing = true;
    this.#socket.close(code, reason.slice(0, 120));
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
