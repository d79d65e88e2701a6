import { bytesPerMs } from '@voice/shared/audio/format';
import { ProviderError } from '../providers/provider-error.js';
import type {
  RealtimeEvent,
  RealtimeHistoryItem,
  RealtimeOptions,
  RealtimeProvider,
  RealtimeSession,
  RespondRequest,
} from '../providers/realtime/port.js';

/** What the model does with a request for a response: what it says, or an event list of its own. */
export type ScriptedAnswer = string | readonly Unnumbered[];

type Unnumbered = RealtimeEvent extends infer E
  ? E extends RealtimeEvent
    ? Omit<E, 'response'>
    : never
  : never;

/** Audio of a character: 50 ms, as the scripted voice has it. */
const MS_PER_CHARACTER = 50;

/** Answers from a list, each answer at once and whole, and keeps what it was asked. */
export class ScriptedSession implements RealtimeSession {
  readonly options: RealtimeOptions;
  readonly asked: (RespondRequest | undefined)[] = [];
  readonly log: string[] = [];
  readonly items: RealtimeHistoryItem[] = [];
  closed = false;
  /** Answers wait until `release`. */
  held = false;
  audioMs = 0;
  #frames = 0;
  #responses = 0;
  readonly #next: (request: RespondRequest | undefined) => ScriptedAnswer;
  readonly #waiting: (() => void)[] = [];

  constructor(options: RealtimeOptions, next: (request: RespondRequest | undefined) => ScriptedAnswer) {
    this.options = options;
    this.#next = next;
  }

  /** Returns the frames since it was asked last. */
  takeFrames(): number {
    const frames = this.#frames;
    this.#frames = 0;
    return frames;
  }

  emit(event: RealtimeEvent): void {
    if (!this.closed) this.options.onEvent(event);
  }

  release(): void {
    this.held = false;
    for (const answer of this.#waiting.splice(0)) answer();
  }

  fail(retryable: boolean): void {
    const error = new ProviderError({
      provider: 'scripted',
      kind: 'realtime',
      code: 'disconnected',
      message: 'The session broke.',
      retryable,
    });
    this.emit({ type: 'failed', error });
    this.closed = true;
  }

  write(): void {
    this.#frames++;
    this.audioMs += 20;
  }

  voiceActivity(): void {}

  commit(): void {
    this.log.push('commit');
  }

  discard(): void {
    this.log.push('discard');
  }

  respond(request?: RespondRequest): number {
    const response = ++this.#responses;
    this.asked.push(request);
    this.log.push(request?.verbatim === undefined ? 'respond' : `say ${request.verbatim}`);
    const answer = this.#next(request);
    const play = () => this.#answer(response, answer);
    if (this.held) this.#waiting.push(play);
    else queueMicrotask(play);
    return response;
  }

  cancel(response: number): void {
    this.log.push(`cancel ${response}`);
  }

  truncate(response: number, heardMs: number): void {
    this.log.push(`truncate ${response} at ${Math.round(heardMs)}`);
  }

  addNote(text: string): void {
    this.log.push(`note ${text}`);
  }

  addItem(item: RealtimeHistoryItem): void {
    this.items.push(item);
    this.log.push(item.role);
  }

  setTools(): void {
    this.log.push('tools');
  }

  close(): void {
    this.closed = true;
  }

  #answer(response: number, answer: ScriptedAnswer): void {
    this.emit({ type: 'response_started', response, unasked: false });
    if (typeof answer === 'string') {
      this.emit({ type: 'text', response, delta: answer });
      const bytes = answer.length * MS_PER_CHARACTER * bytesPerMs(this.options.format);
      this.emit({ type: 'audio', response, audio: new Uint8Array(bytes).fill(1) });
    } else {
      for (const event of answer) this.emit({ ...event, response } as RealtimeEvent);
    }
    this.emit({
      type: 'usage',
      usage: {
        inputAudioTokens: 10,
        inputTextTokens: 5,
        cachedAudioTokens: 4,
        cachedTextTokens: 0,
        outputAudioTokens: 20,
        outputTextTokens: 6,
      },
    });
    this.emit({ type: 'response_finished', response, outcome: 'completed' });
  }
}

/** Opens sessions that answer from one list; verbatim requests are said as they are. */
export class ScriptedRealtime implements RealtimeProvider {
  readonly name = 'scripted';
  readonly defaultModel = 'scripted-1';
  readonly sessions: ScriptedSession[] = [];
  readonly #answers: ScriptedAnswer[];

  constructor(answers: readonly ScriptedAnswer[]) {
    this.#answers = [...answers];
  }

  get session(): ScriptedSession {
    return this.sessions.at(-1)!;
  }

  open(options: RealtimeOptions): RealtimeSession {
    const session = new ScriptedSession(options, (request) =>
      request?.verbatim === undefined ? (this.#answers.shift() ?? '') : request.verbatim,
    );
    this.sessions.push(session);
    return session;
  }
}
