import { z } from 'zod';
import type { ProcessSpec } from './child-process.js';

/** Asks a launcher to restart the processes of some roles, over the channel to its parent. */
const restartRequest = z.object({
  type: z.literal('restart'),
  roles: z.array(z.enum(['store', 'carrier', 'control-plane', 'worker'])).min(1),
});

/** The launcher's answer once they serve again. */
export const restartedMessage = z.object({ type: z.literal('restarted'), roles: restartRequest.shape.roles });

/** The channel to the parent process. */
export interface ParentChannel {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  send?(message: unknown): unknown;
}

/** Carries out the parent's requests, one after the other, and answers each. Other messages are not for it. */
export function serveRestartRequests(
  parent: ParentChannel,
  restart: (role: ProcessSpec['role']) => Promise<void>,
): void {
  let last: Promise<unknown> = Promise.resolve();
  parent.on('message', (message) => {
    const { data } = restartRequest.safeParse(message);
    if (!data) return;
    last = last
      .then(() => Promise.all(data.roles.map(restart)))
      .then(() => parent.send?.({ type: 'restarted', roles: data.roles }));
  });
}
