export type Steps = Readonly<Record<string, () => void>>;

/** Runs steps in their order, whatever becomes of the ones before: what must be done is done when one of them throws. */
export function runEach(steps: Steps, onError: (step: string, error: unknown) => void): void {
  for (const [step, run] of Object.entries(steps)) {
    try {
      run();
    } catch (error) {
      onError(step, error);
    }
  }
}
