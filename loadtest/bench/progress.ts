/** Says with each step of a run how long the rest will take, by how long its steps are known to take. */
export class Progress {
  readonly #notify: (line: string) => void;
  #leftMs: number;
  #stepMs = 0;

  /** @param totalMs of all steps together */
  constructor(totalMs: number, notify: (line: string) => void) {
    this.#leftMs = totalMs;
    this.#notify = notify;
  }

  /** Begins the next step, which takes so many ms; the one before is over. */
  begin(step: string, stepMs: number): void {
    this.#leftMs -= this.#stepMs;
    this.#stepMs = stepMs;
    this.#notify(`${step}; about ${duration(this.#leftMs)} left in all`);
  }
}

function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
