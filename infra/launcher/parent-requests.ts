import { z } from 'zod';
import type { ProcessSpec } from './child-process.js';

const role = z.enum(['store', 'carrier', 'control-plane', 'worker']);

/** What a parent asks a launcher for, over the channel between them. */
const request = z.discriminatedUnion('type', [
  /** To restart the processes of some roles. */
  z.object({ type: z.literal('restart'), roles: z.array(role).min(1) }),
  /** To have the next start of a role's processes prepared, by loading packages that they import. */
  z.object({
    type: z.literal('prepare'),
    role,
    packages: z.array(z.string()),
    /** When they were installed, epoch ms. */
    installed_at: z.number(),
  }),
]);
export type ParentRequest = z.infer<typeof request>;

/** The launcher's answer once they serve again. */
export const restartedMessage = z.object({ type: z.literal('restarted'), roles: z.array(role) });

/** The channel to the parent process. */
export interface ParentChannel {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  send?(message: unknown): unknown;
}

/** What carries a parent's requests out. */
export interface RequestedWork {
  restart(role: ProcessSpec['role']): Promise<void>;
  prepare(role: ProcessSpec['role'], packages: readonly string[], installedAt: number): void;
}

/** Carries out the parent's requests, restarts one after the other, and answers each of these. Other messages are not for it. */
export function serveParentRequests(parent: ParentChannel, work: RequestedWork): void {
  let last: Promise<unknown> = Promise.resolve();
  parent.on('message', (message) => {
    const { data } = request.safeParse(message);
    if (data?.type === 'prepare') work.prepare(data.role, data.packages, data.installed_at);
    if (data?.type !== 'restart') return;
    last = last
      .then(() => Promise.all(data.roles.map((role) => work.restart(role))))
      .then(() => parent.send?.({ type: 'restarted', roles: data.roles }));
  });
}
