import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import { ProviderError } from '../provider-error.js';
import { AudioRing } from '../stt/audio-ring.js';
import type { SpeechToText, SttEvent, SttOptions, SttSession, SttSign } from '../stt/port.js';
import type { BreakerOutcome } from './circuit-breaker.js';
import { type Breaker, isProvidersFault } from './circuit-breakers.js';
import { ListeningTime } from './listening-time.js';
import type { OnNotice } from './notice.js';
import {
  AT_END_LIMITS,
  openedWatch,
  RECOGNISER_LIMITS,
  type RecogniserWatch,
  verdict,
  type WatchTime,
  watch,
} from './recogniser-watch.js';
import { UnansweredSpeech } from './unanswered-speech.js';

/** Audio kept for the recogniser that takes over, in ms. */
const RING_MS = 10_000;
/** Sessions in a row that were lost, after which the call cannot go on: as many as the kept audio covers. */
const MAX_LOST = 6;
/** Speech that a living recogniser has said nothing to for so long was heard, and was no words. In ms. */
const HEARD_AFTER_MS = RECOGNISER_LIMITS.wordlessSpeechMs;
/** Lost speech that is worth a notice, in ms. */
const WORTH_A_NOTICE_MS = 100;

export interface Recogniser {
  readonly stt: SpeechToText;
  /** Absent: those that the session is opened with. */
  readonly own?: { readonly choice: ProviderChoice; readonly credentials: ProviderCredentials };
  /** Whether it is reached over a network: then it is watched. */
  readonly isRemote: boolean;
  readonly breaker?: Breaker;
}

/**
 * Watches a call's recogniser and hands over to another, or to a new session of the same where there is no other, when
 * it fails, finds no connection, is mute or finds no words; from the audio that has no final text yet. No speech is lost without a
 * notice.
 */
export function withRecogniserWatch(
  first: Recogniser,
  fallback: Recogniser | undefined,
  onNotice: OnNotice,
): SpeechToText {
  const recognisers = fallback ? [first, fallback] : [first];
  return {
    name: first.stt.name,
    open: (options) => new WatchedSession(recognisers, options, onNotice),
  };
}

class WatchedSession implements SttSession {
  readonly #recognisers: readonly Recogniser[];
  readonly #options: SttOptions;
  readonly #onNotice: OnNotice;
  readonly #ring: AudioRing;
  readonly #speech = new UnansweredSpeech();
  readonly #listening: ListeningTime;
  /** Those that failed for good. */
  readonly #failed = new Set<Recogniser>();
  #current: Recogniser;
  #session: SttSession;
  #watch: RecogniserWatch;
  /** Takes whether the present session works, once. */
  #result: ((outcome: BreakerOutcome) => void) | undefined;
  /** Takes that the one before was deaf, when this one understands what it had heard. */
  #suspect: ((outcome: BreakerOutcome) => void) | undefined;
  /** Sessions opened so far: what an earlier one still says is not heard. */
  #opened = 0;
  /** Position of the call's audio at which the present session's audio began, in ms. */
  #baseMs = 0;
  #spentMs = 0;
  /**
   * Sessions that found no connection or failed for a while, since the last word and the last that lived for as long as
   * audio is kept: one may connect and fail again.
   */
  #lostInRow = 0;
  /** Since when the present session has a connection that says something; monotonic. */
  #aliveSince: number | undefined;
  /** One was replaced for being mute or without words, and no word has come since: it may have been a noise. */
  #isMuteReplaced = false;
  #isNotUnderstood = false;
  #finalizePending = false;
  #closed = false;

  constructor(recognisers: readonly Recogniser[], options: SttOptions, onNotice: OnNotice) {
    this.#recognisers = recognisers;
    this.#options = options;
    this.#onNotice = onNotice;
    this.#ring = new AudioRing(RING_MS, options.format);
    this.#current = this.#firstAdmitted();
    this.#listening = new ListeningTime(options.clock);
    this.#watch = openedWatch(this.#now(), false);
    this.#session = this.#open(this.#current);
  }

  get audioMs(): number {
    return this.#spentMs + this.#session.audioMs;
  }

  write(frame: Uint8Array): void {
    if (this.#closed) return;
    this.#ring.push(frame);
    this.#session.write(frame);
    this.#listening.frame();
    if (this.#hasLived) this.#lostInRow = 0;
    this.#judge();
  }

  voiceActivity(speaking: boolean, atMs: number): void {
    if (this.#closed) return;
    this.#speech.heard(speaking, atMs);
    this.#watch = watch(this.#watch, { type: 'speech', speaking, ...this.#now() });
    this.#session.voiceActivity(speaking, Math.max(0, atMs - this.#baseMs));
  }

  finalize(): void {
    if (this.#closed) return;
    this.#finalizePending = true;
    this.#session.finalize();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const isUnheard = this.#current.isRemote && this.#watch.unconnectedSince !== null;
    if (isUnheard || this.#isNotUnderstood) this.#lose(this.#ring.endMs);
    this.#ring.clear();
    this.#session.close();
  }

  #now(): WatchTime {
    return { at: this.#options.clock.monotonic(), heardMs: this.#listening.ms };
  }

  /** Returns whether the present session lives for so long that those before it were another failure's. */
  get #hasLived(): boolean {
    return this.#aliveSince !== undefined && this.#now().at - this.#aliveSince >= RING_MS;
  }

  /** Returns the agent's first choice, unless it fails every call of the worker and there is another. */
  #firstAdmitted(): Recogniser {
    const [first, fallback] = this.#recognisers;
    if (!first || !fallback || first.breaker?.admits() !== false) return first!;
    const replacement = fallback.stt.name;
    const cause = 'stt_circuit_open';
    this.#onNotice({ code: 'provider_replaced', kind: 'stt', provider: first.stt.name, replacement, cause });
    return fallback;
  }

  #report(outcome: BreakerOutcome): void {
    this.#result?.(outcome);
    this.#result = undefined;
  }

  #open(recogniser: Recogniser): SttSession {
    const number = ++this.#opened;
    this.#aliveSince = undefined;
    this.#result = recogniser.breaker?.begin();
    return recogniser.stt.open({
      ...this.#options,
      ...recogniser.own,
      onEvent: (event) => {
        if (!this.#closed && number === this.#opened) this.#heard(event);
      },
      onSign: (sign) => {
        if (!this.#closed && number === this.#opened) this.#signed(sign);
      },
    });
  }

  #signed(sign: SttSign): void {
    this.#watch = watch(this.#watch, { type: 'sign', sign, ...this.#now() });
    if (sign === 'disconnected') this.#aliveSince = undefined;
    if (sign !== 'alive') return;
    this.#aliveSince ??= this.#options.clock.monotonic();
    this.#report('ok');
    this.#speech.settle(this.#ring.endMs - HEARD_AFTER_MS);
  }

  #heard(event: SttEvent): void {
    if (event.type === 'failed') {
      if (isProvidersFault(event.error)) this.#report('failed');
      if (event.error.retryable) {
        this.#lost(event.error.code, event.error);
      } else {
        this.#failed.add(this.#current);
        this.#replace(event.error.code, event.error);
      }
      return;
    }
    this.#signed('alive');
    const moved = this.#moved(event);
    if (moved.type === 'transcript') {
      if (moved.text !== '') {
        this.#suspect?.('failed');
        this.#suspect = undefined;
        this.#lostInRow = 0;
        this.#isMuteReplaced = false;
        this.#isNotUnderstood = false;
        this.#watch = watch(this.#watch, { type: 'words', ...this.#now() });
      }
      if (moved.final) {
        this.#finalizePending = false;
        this.#ring.trim(moved.endMs);
        this.#speech.settle(moved.endMs);
      }
    }
    this.#options.onEvent(moved);
  }

  #judge(): void {
    if (!this.#current.isRemote) return;
    const limits = this.#session.writesAtEnd ? AT_END_LIMITS : RECOGNISER_LIMITS;
    const judgement = verdict(this.#watch, limits, this.#now());
    switch (judgement) {
      case 'unconnected':
        this.#report('failed');
        this.#lost('stt_timed_out', this.#timedOut());
        break;
      case 'mute':
      case 'wordless':
        if (!this.#isMuteReplaced) {
          this.#isMuteReplaced = true;
          this.#suspect = this.#current.breaker?.begin();
          this.#replace(`stt_${judgement}`, this.#timedOut());
        } else if (!this.#isNotUnderstood) {
          this.#isNotUnderstood = true;
          const { stt } = this.#current;
          this.#onNotice({ code: 'speech_not_understood', kind: 'stt', provider: stt.name });
        }
        break;
      case undefined:
        break;
    }
  }

  /** Hands over from one that may work again in a while, unless too many in a row were lost. */
  #lost(cause: string, error: ProviderError): void {
    this.#lostInRow += 1;
    if (this.#lostInRow >= MAX_LOST) this.#giveUp(error);
    else this.#replace(cause, error);
  }

  /** Hands over to the next that has not failed for good, which may be the same; without any, gives up. */
  #replace(cause: string, error: ProviderError): void {
    const next = this.#next();
    if (!next) {
      this.#giveUp(error);
      return;
    }
    this.#noticeReplaced(next, cause);
    this.#spentMs += this.#session.audioMs;
    this.#session.close();
    this.#baseMs = this.#ring.startMs;
    this.#lose(this.#baseMs);
    this.#current = next;
    this.#watch = openedWatch(this.#now(), this.#speech.isSpeaking);
    this.#session = this.#open(next);
    for (const frame of this.#ring.frames()) this.#session.write(frame);
    for (const { speaking, atMs } of this.#speech.changes(this.#baseMs)) {
      this.#session.voiceActivity(speaking, atMs - this.#baseMs);
    }
    if (this.#finalizePending) this.#session.finalize();
  }

  #next(): Recogniser | undefined {
    const at = this.#recognisers.indexOf(this.#current);
    const inTurn = [...this.#recognisers.slice(at + 1), ...this.#recognisers.slice(0, at + 1)];
    return inTurn.find((recogniser) => !this.#failed.has(recogniser));
  }

  #giveUp(error: ProviderError): void {
    this.#lose(this.#ring.endMs);
    this.#closed = true;
    this.#ring.clear();
    this.#session.close();
    this.#options.onEvent({ type: 'failed', error });
  }

  #noticeReplaced(next: Recogniser, cause: string): void {
    const provider = this.#current.stt.name;
    if (next === this.#current) {
      this.#onNotice({ code: 'provider_retried', kind: 'stt', provider, cause });
      return;
    }
    const replacement = next.stt.name;
    this.#onNotice({ code: 'provider_replaced', kind: 'stt', provider, replacement, cause });
  }

  /** Notices the speech before the position that nobody has heard and nobody will. */
  #lose(beforeMs: number): void {
    const lostMs = Math.round(this.#speech.lose(beforeMs));
    if (lostMs < WORTH_A_NOTICE_MS) return;
    this.#onNotice({ code: 'speech_lost', kind: 'stt', provider: this.#current.stt.name, lostMs });
  }

  #timedOut(): ProviderError {
    return new ProviderError({
      provider: this.#current.stt.name,
      kind: 'stt',
      code: 'timed_out',
      message: 'the recogniser could not be reached in time',
      retryable: true,
    });
  }

  #moved(event: SttEvent): SttEvent {
    switch (event.type) {
      case 'transcript':
        return { ...event, startMs: event.startMs + this.#baseMs, endMs: event.endMs + this.#baseMs };
      case 'speech_started':
        return { ...event, atMs: event.atMs + this.#baseMs };
      case 'end_of_turn':
      case 'eager_end_of_turn':
      case 'turn_resumed':
      case 'failed':
        return event;
    }
  }
}
