import { z } from 'zod';

/** What is sent to a process that stands by. */
export const standbyMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('load'), packages: z.array(z.string()) }),
  z.object({ type: z.literal('go') }),
]);
export type StandbyMessage = z.infer<typeof standbyMessage>;
