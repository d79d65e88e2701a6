import { z } from 'zod';

/** The address of a server that an agent names, and the key that goes with it. */
export const ownServerParams = (api: string) => ({
  base_url: z
    .url({ protocol: /^https?$/ })
    // A WebSocket has none (RFC 6455, 3).
    .regex(/^[^#]*$/, 'An address has no fragment. Leave out “#” and what follows it')
    .optional()
    .describe(`A server of your own that speaks ${api}.`),
  api_key: z
    .string()
    .trim()
    .min(1)
    .max(4096)
    .regex(/^[\x21-\x7e]*$/, 'A key has no spaces and no characters beyond ASCII')
    .optional()
    .meta({
      description:
        'The key for that server. The platform’s own key never goes to an address that an agent names.',
      format: 'password',
    }),
});
