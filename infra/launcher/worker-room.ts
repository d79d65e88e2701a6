import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const readiness = z.object({
  workers: z.object({
    reporting: z.number().int(),
    with_room: z.number().int(),
    free_places: z.number().int(),
  }),
});

/** What the control plane knows of its workers. */
export type WorkerRoom = z.infer<typeof readiness>['workers'];

const WITHIN_MS = 5000;
const EVERY_MS = 100;

/**
 * Waits for what `/readyz` says of the workers once `expected` of them have reported room, or after 5 s; undefined
 * when it says nothing.
 */
export async function workerRoom(apiUrl: string, expected: number): Promise<WorkerRoom | undefined> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    const room = await ask(apiUrl);
    if ((room && room.with_room >= expected) || performance.now() >= deadline) return room;
    await sleep(EVERY_MS);
  }
}

async function ask(apiUrl: string): Promise<WorkerRoom | undefined> {
  try {
    const answer = await fetch(`${apiUrl}/readyz`, { signal: AbortSignal.timeout(WITHIN_MS) });
    return readiness.safeParse(await answer.json()).data?.workers;
  } catch {
    return undefined;
  }
}
