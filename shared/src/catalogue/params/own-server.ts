import { z } from 'zod';

/** The address of a server that an agent names, and the key that goes with it. */
export const ownServerParams = (api: string) => ({
  base_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(`A server of your own that speaks ${api}.`),
  api_key: z.string().min(1).max(4096).optional().meta({
    description:
      'The key for that server. The platform’s own key never goes to an address that an agent names.',
    format: 'password',
  }),
});
