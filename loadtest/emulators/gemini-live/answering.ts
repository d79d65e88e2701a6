import type { Clock } from '@voice/shared/clock/clock';
import type { ScriptRule } from '../openai/script.js';
import type { SpeechSource } from '../synthesis/speech.js';
import { ANSWER_RATE, type AnswerChunk, answerAudio } from './answer-audio.js';
import { type Memory, type ModelAnswer, type ModelCall, think } from './model.js';
import type { ModelTraits } from './models.js';
import type { GeminiLiveCounters, GeminiLiveFaults } from './options.js';
import type { ToolList } from './setup-message.js';
import type { UsageMetadata } from './usage.js';

interface ServerContent {
  readonly modelTurn?: {
    readonly role: 'model';
    readonly parts: readonly { readonly inlineData: { readonly mimeType: string; readonly data: string } }[];
  };
  readonly generationComplete?: true;
  readonly turnComplete?: true;
  readonly turnCompleteReason?: 'RESPONSE_REJECTED';
  readonly interrupted?: true;
  readonly inputTranscription?: { readonly text: string };
  readonly outputTranscription?: { readonly text: string };
}

/** What the server says; as the original it sends each in a binary frame. */
export interface ServerMessage {
  readonly setupComplete?: Record<string, never>;
  readonly serverContent?: ServerContent;
  readonly toolCall?: { readonly functionCalls: readonly (ModelCall & { readonly id: string })[] };
  readonly toolCallCancellation?: { readonly ids: readonly string[] };
  readonly usageMetadata?: UsageMetadata;
  readonly goAway?: { readonly timeLeft: string };
  readonly sessionResumptionUpdate?: { readonly newHandle?: string; readonly resumable?: true };
}

export interface AnsweringContext {
  readonly source: SpeechSource;
  readonly script: readonly ScriptRule[] | undefined;
  readonly firstAudioDelayMs: number;
  readonly speed: number;
  readonly playSpeed: number;
  readonly chunkMs: number;
  readonly clock: Clock;
  readonly faults: GeminiLiveFaults;
  readonly counters: GeminiLiveCounters;
}

export interface AnsweringOptions {
  readonly context: AnsweringContext;
  readonly traits: ModelTraits;
  readonly memory: Memory;
  readonly tools: ToolList;
  readonly transcribe: boolean;
  send(message: ServerMessage): void;
  /** Breaks the connection, on command. */
  breakConnection(how: 'tear' | 'error'): void;
}

/** One answer of the model: thinks, speaks faster than real time, and then as long as it takes to play. */
export class Answering {
  readonly #options: AnsweringOptions;
  readonly #stop = new AbortController();
  /** What has been said, as far as its audio was sent. */
  said = '';
  audioMs = 0;
  #firstAudioAt = 0;

  constructor(options: AnsweringOptions) {
    this.#options = options;
  }

  /** Stops it; nothing is sent from now on. */
  interrupt(): void {
    this.#stop.abort(new Error('interrupted'));
  }

  get interrupted(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Resolves with what the model wants done, after the last audio; undefined when it was interrupted. */
  async speak(): Promise<ModelAnswer | undefined> {
    const { clock, firstAudioDelayMs, chunkMs, source, script, faults } = this.#options.context;
    const { signal } = this.#stop;
    try {
      const startedAt = clock.monotonic();
      const fault = takeFault(faults);
      const answer = think(this.#options.memory, this.#options.tools, script);
      const chunks = answer.text === '' ? [] : await answerAudio(source, answer.text, chunkMs, signal);
      const waitMs = startedAt + firstAudioDelayMs - clock.monotonic();
      if (waitMs > 0) await clock.sleep(waitMs, signal);
      signal.throwIfAborted();
      if (fault === 'error') {
        this.#options.breakConnection('error');
        return undefined;
      }
      if (fault === 'reject') return { text: '', calls: [], rejected: true };
      await this.#send(chunks, fault);
      return this.interrupted ? undefined : answer;
    } catch (error) {
      if (this.interrupted) return undefined;
      throw error;
    }
  }

  /** Waits until the audio has been played, which the service takes as the end of the turn. */
  async playOut(): Promise<boolean> {
    const { clock, playSpeed } = this.#options.context;
    const waitMs = this.#firstAudioAt + this.audioMs / playSpeed - clock.monotonic();
    try {
      if (waitMs > 0) await clock.sleep(waitMs, this.#stop.signal);
      return !this.interrupted;
    } catch {
      return false;
    }
  }

  async #send(chunks: readonly AnswerChunk[], fault: Fault | undefined): Promise<void> {
    const { clock, speed, faults } = this.#options.context;
    let dueAt = clock.monotonic();
    this.#firstAudioAt = dueAt;
    for (const chunk of chunks) {
      const waitMs = dueAt - clock.monotonic();
      if (waitMs > 0) await clock.sleep(waitMs, this.#stop.signal);
      if (this.interrupted) return;
      const due = this.audioMs >= faults.afterAudioMs;
      if (fault === 'stall' && due) await clock.sleep(2 ** 31 - 1, this.#stop.signal);
      if (fault === 'cut' && due) {
        this.#options.breakConnection('tear');
        this.interrupt();
        return;
      }
      this.#sendChunk(chunk);
      dueAt += chunk.audioMs / speed;
    }
  }

  #sendChunk(chunk: AnswerChunk): void {
    const inlineData = { mimeType: `audio/pcm;rate=${ANSWER_RATE}`, data: chunk.audio.toString('base64') };
    const modelTurn = { role: 'model' as const, parts: [{ inlineData }] };
    const outputTranscription =
      this.#options.transcribe && chunk.text !== '' ? { text: chunk.text } : undefined;
    const { send, traits } = this.#options;
    if (!outputTranscription) send({ serverContent: { modelTurn } });
    else if (traits.combinesParts) send({ serverContent: { modelTurn, outputTranscription } });
    else {
      send({ serverContent: { modelTurn } });
      send({ serverContent: { outputTranscription } });
    }
    this.said += chunk.text;
    this.audioMs += chunk.audioMs;
  }
}

type Fault = 'stall' | 'cut' | 'error' | 'reject';

function takeFault(faults: GeminiLiveFaults): Fault | undefined {
  if (faults.stallNext > 0) {
    faults.stallNext -= 1;
    return 'stall';
  }
  if (faults.cutNext > 0) {
    faults.cutNext -= 1;
    return 'cut';
  }
  if (faults.errorNext > 0) {
    faults.errorNext -= 1;
    return 'error';
  }
  if (faults.rejectNext > 0) {
    faults.rejectNext -= 1;
    return 'reject';
  }
  return undefined;
}
