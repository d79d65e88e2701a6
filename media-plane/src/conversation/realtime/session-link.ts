import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { ProviderError } from '../../providers/provider-error.js';
import type {
  RealtimeEvent,
  RealtimeHistoryItem,
  RealtimeSession,
  RespondRequest,
} from '../../providers/realtime/port.js';
import type { SpokenFrame } from '../port.js';
import { UncountedResponses } from './uncounted-responses.js';

/** What one response of the model does with what comes of it. */
export interface ResponseSink {
  onAudio(audio: Uint8Array): void;
  onText(delta: string): void;
  /** The model writes a tool call that is not whole yet. */
  onToolCallPart(): void;
  onToolCall(call: Extract<RealtimeEvent, { type: 'tool_call' }>['call']): void;
  onFinished(outcome: 'completed' | 'cancelled' | 'failed', error: ProviderError | undefined): void;
}

/** One response, wherever its session is by now. */
export interface Response {
  cancel(): void;
  /** Cuts the response where the caller stopped hearing, in ms. */
  truncate(heardMs: number): void;
}

export interface SessionLinkOptions {
  /** Opens a session that knows what was said before. */
  readonly open: (
    history: readonly RealtimeHistoryItem[],
    onEvent: (event: RealtimeEvent) => void,
  ) => RealtimeSession;
  /** How long what a session is set up with is, prompt and tools, in characters. */
  readonly setUpCharacters: () => number;
  /** What was said so far. */
  readonly history: () => readonly RealtimeHistoryItem[];
  /** Audio of the caller that a session which takes over must hear. */
  readonly unanswered: () => readonly SpokenFrame[];
  readonly clock: Clock;
  readonly onEvent: (event: SessionEvent) => void;
  /** A new session has taken over. Called before it hears what was not answered. */
  readonly onReplaced: (reason: 'renewed' | 'reconnected') => void;
  readonly onFailed: (error: ProviderError) => void;
}

/** What a session reports beside its responses. */
export type SessionEvent = Extract<
  RealtimeEvent,
  { type: 'speech_started' | 'end_of_turn' | 'caller_transcript' | 'usage' }
>;

/** Sessions that broke within this time are counted together, in ms … */
const RECONNECT_WINDOW_MS = 60_000;
/** … and after this many, the provider counts as gone. */
const MOST_RECONNECTS = 2;

interface Live {
  readonly session: RealtimeSession;
  readonly sinks: Map<number, ResponseSink>;
  readonly uncounted: UncountedResponses;
}

/**
 * Connects the call to its speech-to-speech provider, over as many sessions as it takes: the next one is opened before
 * the provider ends the present one, and takes over between two responses, without a gap; one that breaks is replaced
 * at once.
 */
export class SessionLink {
  readonly #options: SessionLinkOptions;
  #live: Live;
  /** Opened ahead of the present one's end; takes over when nothing is being said. */
  #next: Live | undefined;
  #nextReady = false;
  #breaks: number[] = [];
  #audioMsBefore = 0;
  #closed = false;
  #forced: Timer | undefined;

  constructor(options: SessionLinkOptions) {
    this.#options = options;
    this.#live = this.#open(options.history());
  }

  /** Returns the session that hears and answers now. */
  get session(): RealtimeSession {
    return this.#live.session;
  }

  /** Returns how much of the caller's audio was sent, over all sessions, in ms. */
  get audioMs(): number {
    return this.#audioMsBefore + this.#live.session.audioMs;
  }

  respond(request: RespondRequest | undefined, sink: ResponseSink): Response {
    const { session, sinks, uncounted } = this.#live;
    const number = session.respond(request);
    uncounted.requested(number);
    sinks.set(number, sink);
    return {
      cancel: () => {
        sinks.delete(number);
        session.cancel(number);
        this.#takeOverIfQuiet();
      },
      truncate: (heardMs) => session.truncate(number, heardMs),
    };
  }

  /** @param error that the responses which are under way fail with */
  close(error: ProviderError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#forced?.cancel();
    this.#countRest(this.#live, false);
    this.#live.session.close();
    this.#next?.session.close();
    const sinks = [...this.#live.sinks.values()];
    this.#live.sinks.clear();
    for (const sink of sinks) sink.onFinished('failed', error);
  }

  #open(history: readonly RealtimeHistoryItem[]): Live {
    const live: Live = {
      session: this.#options.open(history, (event) => this.#onEvent(live, event)),
      sinks: new Map(),
      uncounted: new UncountedResponses(history, this.#options.setUpCharacters()),
    };
    return live;
  }

  #onEvent(live: Live, event: RealtimeEvent): void {
    if (this.#closed) return;
    const { session, sinks, uncounted } = live;
    uncounted.saw(event, session.audioMs);
    if (live === this.#next) {
      this.#onNext(event);
      return;
    }
    if (live !== this.#live) return;
    switch (event.type) {
      case 'audio':
        sinks.get(event.response)?.onAudio(event.audio);
        break;
      case 'text':
        sinks.get(event.response)?.onText(event.delta);
        break;
      case 'tool_call_part':
        sinks.get(event.response)?.onToolCallPart();
        break;
      case 'tool_call':
        sinks.get(event.response)?.onToolCall(event.call);
        break;
      case 'response_finished': {
        const sink = sinks.get(event.response);
        sinks.delete(event.response);
        sink?.onFinished(event.outcome, event.error);
        this.#takeOverIfQuiet();
        break;
      }
      case 'speech_started':
      case 'end_of_turn':
      case 'caller_transcript':
      case 'usage':
        this.#options.onEvent(event);
        break;
      case 'expiring':
        this.#renew(event.inMs);
        break;
      case 'failed':
        this.#onBroken(event.error);
        break;
      case 'ready':
      case 'response_started':
        break;
    }
  }

  /** Opens the next session in good time; by half of the time that is left it takes over whatever is being said. */
  #renew(inMs: number): void {
    if (this.#next) return;
    this.#next = this.#open(this.#options.history());
    this.#nextReady = false;
    this.#forced = this.#options.clock.schedule(inMs / 2, () => this.#takeOver('renewed'));
  }

  #onNext(event: RealtimeEvent): void {
    if (event.type === 'ready') {
      this.#nextReady = true;
      this.#takeOverIfQuiet();
    } else if (event.type === 'failed') {
      // The present session still lives; when it ends, another one is tried.
      this.#next = undefined;
      this.#forced?.cancel();
    }
  }

  #takeOverIfQuiet(): void {
    if (this.#nextReady && this.#live.sinks.size === 0 && this.#options.unanswered().length === 0) {
      this.#takeOver('renewed');
    }
  }

  #takeOver(reason: 'renewed' | 'reconnected'): void {
    const next = this.#next;
    if (!next || this.#closed) return;
    this.#forced?.cancel();
    this.#next = undefined;
    const before = this.#live;
    this.#audioMsBefore += before.session.audioMs;
    this.#live = next;
    this.#countRest(before, false);
    before.session.close();
    // First, so that what the session is given of the conversation comes before what it hears.
    this.#options.onReplaced(reason);
    for (const { frame } of this.#options.unanswered()) next.session.write(frame);
    for (const sink of before.sinks.values()) sink.onFinished('cancelled', undefined);
  }

  /** Reports what the session was generating, of which it will report no usage any more. */
  #countRest({ session, uncounted }: Live, isBroken: boolean): void {
    for (const usage of uncounted.take(session.audioMs, isBroken)) {
      this.#options.onEvent({ type: 'usage', usage, of: 'response' });
    }
  }

  #onBroken(error: ProviderError): void {
    const { clock, onFailed, history } = this.#options;
    const now = clock.monotonic();
    this.#breaks = [...this.#breaks.filter((at) => at > now - RECONNECT_WINDOW_MS), now];
    const sinks = [...this.#live.sinks.values()];
    this.#live.sinks.clear();
    this.#countRest(this.#live, true);
    if (!error.retryable || this.#breaks.length > MOST_RECONNECTS) {
      this.#closed = true;
      this.#forced?.cancel();
      this.#next?.session.close();
      onFailed(error);
    } else {
      this.#next ??= this.#open(history());
      this.#takeOver('reconnected');
    }
    for (const sink of sinks) sink.onFinished('failed', error);
  }
}
