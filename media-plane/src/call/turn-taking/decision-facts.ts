import type { Effect } from './effects.js';
import type { TurnTakingEvent } from './events.js';
import type { NextAgent } from './next-agent.js';
import type { TurnTakingOptions } from './port.js';

/** Words of a quotation that are shown, in characters. */
const MAX_QUOTE = 120;

/** What was known of a recorded call at a decision, as far as the log itself says it. */
export class DecisionFacts {
  #options: TurnTakingOptions;
  #nextAgent: NextAgent | null = null;
  /** When the caller's last speech began and ended, ms since the media stream began. */
  #speechStartedAt: number | null = null;
  #speechStoppedAt: number | null = null;
  #finals = '';
  #interim = '';
  #audible: number | null = null;
  readonly #texts = new Map<number, string>();

  constructor(options: TurnTakingOptions) {
    this.#options = options;
  }

  /** The settings in force: the next agent's from the handoff on. */
  get options(): Pick<TurnTakingOptions, 'settings' | 'silenceTimeoutMs'> {
    return this.#options;
  }

  /** Whether the agent can be heard, or is paused. */
  get agentIsAudible(): boolean {
    return this.#audible !== null;
  }

  /** What the caller has said since their words were last taken as a turn. */
  get callerText(): string {
    return `${this.#finals} ${this.#interim}`.trim();
  }

  /** How long the caller has spoken, or spoke last, in ms; null before they spoke. */
  spokenMs(at: number): number | null {
    if (this.#speechStartedAt === null) return null;
    const stopped = this.#speechStoppedAt;
    const until = stopped !== null && stopped >= this.#speechStartedAt ? stopped : at;
    return Math.max(0, Math.round(until - this.#speechStartedAt));
  }

  /** What a turn of the agent says, as far as it is known. */
  textOf(turn: number): string {
    return this.#texts.get(turn) ?? '';
  }

  /** Takes an event in, before what was decided about it. */
  happened(event: TurnTakingEvent): void {
    switch (event.type) {
      case 'speech_started':
        this.#speechStartedAt = event.startedAt;
        this.#speechStoppedAt = null;
        break;
      case 'speech_stopped':
        this.#speechStoppedAt = event.stoppedAt;
        break;
      case 'transcript':
        if (event.final) {
          this.#finals = `${this.#finals} ${event.text}`.trim();
          this.#interim = '';
        } else this.#interim = event.text;
        break;
      case 'text':
        this.#texts.set(event.turn, `${this.textOf(event.turn)} ${event.sentence}`.trim());
        break;
      case 'handoff_ready':
        this.#nextAgent = event.agent;
        break;
      default:
        break;
    }
  }

  /** Takes in what was decided. */
  decided(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === 'play') this.#audible = effect.turn;
      if (effect.type === 'clear' && effect.turn === this.#audible) this.#audible = null;
      if (effect.type === 'hand_over' && this.#nextAgent) {
        const { settings, silenceTimeoutMs } = this.#nextAgent;
        this.#options = { ...this.#options, settings, silenceTimeoutMs };
      }
      if (effect.type === 'say') this.#texts.set(effect.turn, effect.text);
      if (effect.type !== 'remember') continue;
      if (effect.entry.role === 'caller') {
        this.#finals = '';
        this.#interim = '';
      } else if (effect.entry.role === 'agent') this.#audible = null;
    }
  }
}

/** Quotes what somebody said, its beginning where it is long. */
export function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return `“${line.length <= MAX_QUOTE ? line : `${line.slice(0, MAX_QUOTE - 1)}…`}”`;
}
