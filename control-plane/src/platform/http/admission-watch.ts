import type { Clock, Timer } from '@voice/shared/clock/clock';

/** How long a stream may outlive the credential that opened it, in ms. */
export const ADMISSION_EVERY_MS = 15_000;

export interface AdmissionWatchOptions {
  readonly clock: Pick<Clock, 'schedule'>;
  /** Never rejects. */
  readonly isStillAdmitted: () => Promise<boolean>;
  /** Called once. */
  readonly onOver: () => void;
}

/**
 * Asks again and again whether who opened a stream would still be let in: somebody signed out, removed or lowered does
 * not follow a call to its end. Returns how to stop asking.
 */
export function watchAdmission({ clock, isStillAdmitted, onOver }: AdmissionWatchOptions): () => void {
  let timer: Timer;
  let isStopped = false;
  const ask = async () => {
    const isAdmitted = await isStillAdmitted();
    if (isStopped) return;
    if (isAdmitted) timer = clock.schedule(ADMISSION_EVERY_MS, () => void ask());
    else onOver();
  };
  timer = clock.schedule(ADMISSION_EVERY_MS, () => void ask());
  return () => {
    isStopped = true;
    timer.cancel();
  };
}
