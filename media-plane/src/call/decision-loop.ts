import type { Steps } from './run-each.js';
import { decide, initialState, type State } from './turn-taking/decide.js';
import type { Effect } from './turn-taking/effects.js';
import type { TurnTakingEvent } from './turn-taking/events.js';
import type { TurnTakingOptions } from './turn-taking/port.js';

/** An event before it is stamped with its time. */
export type Unstamped = TurnTakingEvent extends infer E
  ? E extends TurnTakingEvent
    ? Omit<E, 'at'>
    : never
  : never;

export interface DecisionLoopOptions {
  readonly options: TurnTakingOptions;
  /** ms since the media stream began. */
  readonly now: () => number;
  /** The agent's turn that is heard, and how much of it was. */
  readonly playback: () => { readonly turn: number; readonly playedMs: number } | undefined;
  /** A decision was made; its effects are about to be carried out. */
  readonly onDecided: (event: TurnTakingEvent, state: State, effects: readonly Effect[]) => void;
  readonly carryOut: (effect: Effect) => void;
  /** Runs the steps, whichever of them throws. */
  readonly attempt: (steps: Steps) => void;
  /** All that an event led to is done. */
  readonly onSettled: () => void;
}

/**
 * Feeds the reducer: one event after another, also where an effect causes the next one. An effect that cannot be carried
 * out takes nothing with it: neither the others, nor the timer or the frame that the event came from.
 */
export class DecisionLoop {
  readonly #options: DecisionLoopOptions;
  readonly #inbox: Unstamped[] = [];
  #state: State;
  #deciding = false;
  #stopped = false;

  constructor(options: DecisionLoopOptions) {
    this.#options = options;
    this.#state = initialState(options.options);
  }

  get state(): State {
    return this.#state;
  }

  dispatch(event: Unstamped): void {
    if (this.#stopped) return;
    this.#inbox.push(event);
    if (this.#deciding) return;
    this.#deciding = true;
    try {
      for (let next = this.#inbox.shift(); next && !this.#stopped; next = this.#inbox.shift()) {
        const playback = needsPlaybackPosition(next) ? this.#options.playback() : undefined;
        if (playback) this.#decide({ type: 'playback', ...playback });
        this.#decide(next);
      }
    } finally {
      this.#deciding = false;
    }
    this.#options.attempt({ settled: () => this.#options.onSettled() });
  }

  /** Stops deciding: the call is over. */
  stop(): void {
    this.#stopped = true;
  }

  #decide(event: Unstamped): void {
    const stamped = { ...event, at: this.#options.now() } as TurnTakingEvent;
    const { onDecided, carryOut, attempt } = this.#options;
    const { state, effects } = decide(this.#state, stamped);
    this.#state = state;
    attempt({ decided: () => onDecided(stamped, state, effects) });
    for (const effect of effects) attempt({ [effect.type]: () => carryOut(effect) });
  }
}

/** Returns whether the reducer may cut or pause the audible turn upon the event. */
function needsPlaybackPosition(event: Unstamped): boolean {
  switch (event.type) {
    case 'speech_started':
    case 'speech_stopped':
    case 'transcript':
    case 'end_of_turn':
    case 'timer':
    case 'operator_hangup':
    case 'machine_detected':
    case 'beep':
    case 'carrier_stopped':
      return true;
    default:
      return false;
  }
}
