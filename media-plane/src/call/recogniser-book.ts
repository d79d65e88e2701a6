import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { RecogniserHabits } from './turn-taking/recogniser-habits.js';

/** Recognisers that are remembered; agents may name any model. */
const MOST = 500;

/** Keeps what the worker's calls measured of each recogniser, for the calls after them. */
export class RecogniserBook {
  readonly #habits = new Map<string, RecogniserHabits>();

  /** Returns what is known of the plan's recogniser; undefined where nothing is. */
  habitsFor(plan: CallPlan): RecogniserHabits | undefined {
    const name = nameOf(plan);
    return name === undefined ? undefined : this.#habits.get(name);
  }

  /** Takes what a call knew at its end; one that measured nothing changes nothing. */
  keep(plan: CallPlan, habits: RecogniserHabits): void {
    const name = nameOf(plan);
    if (name === undefined || habits.finalMs.count === 0) return;
    this.#habits.delete(name);
    this.#habits.set(name, habits);
    if (this.#habits.size <= MOST) return;
    const oldest = this.#habits.keys().next().value;
    if (oldest !== undefined) this.#habits.delete(oldest);
  }
}

/** What finals depend on; undefined for speech to speech, which has none. */
function nameOf({ agent }: CallPlan): string | undefined {
  const { voice_config: voice, language } = agent;
  return 'stt' in voice ? JSON.stringify([voice.stt.provider, voice.stt.model, language]) : undefined;
}
