import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** How far the fetching or building of mediasoup's worker is; a small file beside where the binary will be. */
export const workerBuildStatus = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('working'),
    /** What is being done, in words. */
    step: z.string(),
    /** An estimate; null while there is none. */
    seconds_left: z.number().nonnegative().nullable(),
    /** Epoch ms. */
    updated_at: z.number(),
  }),
  z.object({
    state: z.literal('failed'),
    /** What is wrong and what to do. */
    reason: z.string(),
    updated_at: z.number(),
  }),
]);
export type WorkerBuildStatus = z.infer<typeof workerBuildStatus>;

/** The builder writes at least this often while it works, in ms: what is much older was left by a killed one. */
export const STATUS_INTERVAL_MS = 5000;

/** Reads the published status; undefined where there is none, or none that can be read. */
export function readWorkerBuildStatus(path: string): WorkerBuildStatus | undefined {
  try {
    return workerBuildStatus.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
