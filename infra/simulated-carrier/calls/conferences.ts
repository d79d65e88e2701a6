import type { Clock } from '@voice/shared/clock/clock';

/** How long people who meet in a conference talk, in ms; they are not simulated any further. */
const TALK_MS = 3000;
/** How long one waits for another, in ms. */
const PATIENCE_MS = 60_000;

interface Meeting {
  people: number;
  readonly over: AbortController;
}

/** Conferences by name; each ends when somebody leaves (`endConferenceOnExit`). */
export class Conferences {
  readonly #meetings = new Map<string, Meeting>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the conference is over or the signal aborts. */
  async join(name: string, signal: AbortSignal): Promise<void> {
    const meeting = this.#meetings.get(name) ?? { people: 0, over: new AbortController() };
    this.#meetings.set(name, meeting);
    meeting.people++;
    if (meeting.people === 2) this.#clock.schedule(TALK_MS, () => meeting.over.abort());
    await this.#clock.sleep(PATIENCE_MS, AbortSignal.any([signal, meeting.over.signal])).catch(() => {});
    meeting.over.abort();
    if (this.#meetings.get(name) === meeting) this.#meetings.delete(name);
  }
}
