import { z } from 'zod';
import { UNREAD, type UnreadTexts } from './unread-texts.js';

const words = z.string().catch('');
/** What each kind of tool needs beside its name. What a form does not know of a tool stays in it. */
const NEEDS: Readonly<Record<string, z.ZodType>> = {
  http: z.looseObject({
    description: z.string().min(1, 'Say when to use it.'),
    url: z.url({ protocol: /^https?$/, error: 'Enter the address, as https://example.com/book.' }),
  }),
  mcp: z.looseObject({
    server_url: z.url({ protocol: /^https?$/, error: 'Enter the address, as https://example.com/mcp.' }),
  }),
  integration: z.looseObject({
    description: z.string().min(1, 'Say when to use it.'),
    integration: words.pipe(z.string().min(1, 'Choose an integration.')),
    action: words.pipe(z.string().min(1, 'Choose what it does.')),
  }),
  transfer_to_agent: z.looseObject({
    agents: z
      .array(
        z.looseObject({
          agent_id: z.string().min(1, 'Choose an agent.'),
          name: z.string().trim().min(1, 'Name it, as the model is to choose it.').max(100),
        }),
      )
      .min(1, 'Add an agent.')
      .superRefine((agents, context) => {
        agents.forEach(({ name }, at) => {
          if (agents.findIndex((other) => other.name === name) === at) return;
          context.addIssue({ code: 'custom', path: [at, 'name'], message: 'Another one has this name.' });
        });
      }),
  }),
};

/** A tool as the editor's form holds it. */
export const toolForm = z
  .looseObject({
    type: z.string(),
    name: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'Use letters, digits and _, a letter first, as book_table.'),
    description: z.string(),
  })
  .superRefine((tool, context) => {
    const found = NEEDS[tool.type]?.safeParse(tool).error?.issues ?? [];
    for (const { path, message } of found) context.addIssue({ code: 'custom', path, message });
    for (const [field, text] of Object.entries((tool[UNREAD] ?? {}) as UnreadTexts)) {
      context.addIssue({ code: 'custom', path: [field], message: text?.problem });
    }
  });
