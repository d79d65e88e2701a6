import { z } from 'zod';

/** Who did something, under the name that they had then. */
export interface Actor {
  readonly type: 'member' | 'api_key';
  /** Of the member or of the key. */
  readonly id: string;
  readonly name: string;
}

/** Who did something, as answers show it. */
export const actorResponse = z
  .object({
    type: z.enum(['member', 'api_key']).describe('Whether a person or a program did it.'),
    id: z
      .string()
      .describe('Of the member or of the key.')
      .meta({ examples: ['0198f0c4-7777-7abc-8def-0123456789ab'] }),
    name: z
      .string()
      .describe('What they were called when they did it.')
      .meta({ examples: ['Ada Byron'] }),
  })
  .meta({ id: 'Actor' });
