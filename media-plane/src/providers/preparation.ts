/** What is opened ahead for a call, and held until it lets go. */
export interface Preparation {
  /** Resolves when it is there. Rejects with a `ProviderError` when it is not: what is asked for then opens its own. */
  readonly ready: Promise<void>;
  /** Lets go of what is held. Idempotent. */
  release(): void;
}

/** Of what has nothing to open. */
export const NOTHING_TO_PREPARE: Preparation = { ready: Promise.resolve(), release() {} };

/** Creates a preparation; that nobody asks whether it is ready is no unhandled rejection. */
export function createPreparation(ready: Promise<void>, release: () => void): Preparation {
  ready.catch(() => {});
  return { ready, release };
}

/** Creates the preparation of what cannot be opened. */
export function failedPreparation(error: unknown): Preparation {
  return createPreparation(Promise.reject(error), () => {});
}

/** Combines preparations to one: ready when all are, released together. */
export function allPrepared(preparations: readonly Preparation[]): Preparation {
  const ready = Promise.all(preparations.map((preparation) => preparation.ready)).then(() => {});
  return createPreparation(ready, () => {
    for (const preparation of preparations) preparation.release();
  });
}
