import type { AudioFormat } from '@voice/shared/audio/format';
import type { LiveEvent } from '@voice/shared/contracts/live-events';
import type { ListenChannels, ListenFormat } from '@voice/shared/contracts/live-streams';
import { ListenInMix } from './listen-in-mix.js';

/** Who follows a call's events. */
export interface LiveEventListener {
  /** Receives an event, and `text`, the same as JSON, made once for all. Must return at once, and never throw. */
  onEvent(event: LiveEvent, text: string): void;
  /** Called when the call is over; nothing follows. */
  onClosed(): void;
}

/** Who listens in. */
export interface AudioListener {
  /** Receives the format of the audio, before any audio. */
  onFormat(format: ListenFormat): void;
  onAudio(chunk: Uint8Array): void;
  onClosed(): void;
}

/** How many are sent a chunk in one go. */
const LISTENERS_AT_ONCE = 8;

interface Listening {
  readonly listener: AudioListener;
  readonly channels: ListenChannels;
}

/**
 * Publishes one call's events to its followers and its audio to its listeners. Never waits for any of them; without any
 * it costs one look at an empty set.
 */
export class CallTap {
  readonly #followers = new Set<LiveEventListener>();
  readonly #listeners = new Set<Listening>();
  #format: AudioFormat | undefined;
  #mix: ListenInMix | undefined;
  #wants = { mixed: false, stereo: false };
  #closed = false;
  /** What a new follower gets first: the state, and what is being said. */
  readonly #moment = new Map<string, LiveEvent>();

  /** Returns whether anybody follows the events. */
  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  get followers(): number {
    return this.#followers.size;
  }

  /** Returns whether anybody listens in. */
  get isListenedTo(): boolean {
    return this.#listeners.size > 0;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Returns whether the call's media has begun. */
  get isStarted(): boolean {
    return this.#format !== undefined;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Begins the media, with frames in this format on both sides. Idempotent. */
  start(format: AudioFormat): void {
    if (this.#format || this.#closed) return;
    this.#format = format;
    for (const { listener, channels } of this.#listeners) listener.onFormat(formatOf(format, channels));
    this.#adapt();
  }

  publish(event: LiveEvent): void {
    if (this.#closed) return;
    this.#remember(event);
    if (this.#followers.size === 0) return;
    const text = JSON.stringify(event);
    for (const follower of this.#followers) follower.onEvent(event, text);
  }

  /** Takes a frame of the caller in the line's format; `positionMs` is its place in the caller's stream. */
  callerAudio(frame: Uint8Array, positionMs: number): void {
    this.#mix?.caller(frame, positionMs);
  }

  /** Takes a frame of the agent that was really heard; `atMs` on the caller's clock (as for the recording). */
  agentAudio(frame: Uint8Array, atMs: number): void {
    this.#mix?.agent(frame, atMs);
  }

  /** Follows the events from now on, the present moment first. Returns how to stop. */
  subscribe(listener: LiveEventListener): () => void {
    if (this.#closed) {
      listener.onClosed();
      return () => {};
    }
    for (const event of this.#moment.values()) listener.onEvent(event, JSON.stringify(event));
    this.#followers.add(listener);
    return () => this.#followers.delete(listener);
  }

  /** Listens in from now on. Returns how to stop. */
  listenIn(listener: AudioListener, { channels }: { readonly channels: ListenChannels }): () => void {
    if (this.#closed) {
      listener.onClosed();
      return () => {};
    }
    const listening = { listener, channels };
    this.#listeners.add(listening);
    if (this.#format) listener.onFormat(formatOf(this.#format, channels));
    this.#adapt();
    return () => {
      if (this.#listeners.delete(listening)) this.#adapt();
    };
  }

  /** Closes all subscriptions: the call is over. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#mix = undefined;
    this.#moment.clear();
    for (const follower of [...this.#followers]) follower.onClosed();
    for (const { listener } of [...this.#listeners]) listener.onClosed();
    this.#followers.clear();
    this.#listeners.clear();
  }

  #remember(event: LiveEvent): void {
    if (event.type === 'state') this.#moment.set('state', event);
    if (event.type !== 'transcript') return;
    // A final text comes again as the record's turn.
    if (event.final) this.#moment.delete(event.role);
    else this.#moment.set(event.role, event);
  }

  /** Mixes for those who are there, and only while there are any. */
  #adapt(): void {
    const isWanted = (wanted: ListenChannels) =>
      [...this.#listeners].some(({ channels }) => channels === wanted);
    this.#wants = { mixed: isWanted('mixed'), stereo: isWanted('stereo') };
    if (!this.#format || this.#listeners.size === 0) {
      this.#mix = undefined;
      return;
    }
    this.#mix ??= new ListenInMix({
      format: this.#format,
      wants: () => this.#wants,
      onMixed: (chunk) => this.#deliver('mixed', chunk),
      onStereo: (chunk) => this.#deliver('stereo', chunk),
    });
  }

  /**
   * Sends a portion to the listeners, a few at a time and after the frame's own work: sends in between would hold up
   * the frames of this call, and many in one go those of all calls of this worker.
   */
  #deliver(wanted: ListenChannels, chunk: Uint8Array): void {
    const listeners = [...this.#listeners].filter(({ channels }) => channels === wanted);
    const kept = Uint8Array.from(chunk);
    const deliverFrom = (first: number) => {
      for (const listening of listeners.slice(first, first + LISTENERS_AT_ONCE)) {
        if (this.#listeners.has(listening)) listening.listener.onAudio(kept);
      }
      const next = first + LISTENERS_AT_ONCE;
      if (next < listeners.length) setImmediate(deliverFrom, next);
    };
    setImmediate(deliverFrom, 0);
  }
}

function formatOf({ sampleRate }: AudioFormat, channels: ListenChannels): ListenFormat {
  return {
    type: 'format',
    encoding: 'l16',
    sample_rate: sampleRate,
    channels: channels === 'stereo' ? 2 : 1,
  };
}
