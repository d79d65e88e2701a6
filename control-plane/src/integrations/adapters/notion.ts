import { z } from 'zod';
import { action, type KeyAdapter } from '../adapter.js';
import { configured } from './configured.js';

const text = (content: string) => [{ type: 'text', text: { content } }];

/** https://developers.notion.com/reference */
export const notion: KeyAdapter = {
  kind: 'api_key',
  slug: 'notion',
  name: 'Notion',
  description: 'Creates pages in a database.',
  vendor: 'notion',
  hosts: { api: 'https://api.notion.com' },
  configHint: '`database_id`: where pages go.',
  fields: z.object({
    token: z.string().trim().min(1).max(500).describe('Secret of an internal integration.'),
  }),
  headers: ({ token }) => ({ authorization: `Bearer ${token}`, 'notion-version': '2022-06-28' }),
  async check(call) {
    const { json } = await call.send({ method: 'GET', url: call.at('api', '/v1/users/me') });
    return { account: z.looseObject({ name: z.string().nullish() }).parse(json).name ?? null };
  },
  actions: [
    action({
      name: 'create_page',
      description: 'Creates a page in Notion.',
      parameters: z.object({
        title: z.string().min(1).max(2000),
        // A block holds up to 2,000 characters.
        text: z.string().max(2000).optional().describe('What the page says.'),
      }),
      repeatable: false,
      async run(call, page) {
        const { json } = await call.send({
          method: 'POST',
          url: call.at('api', '/v1/pages'),
          json: {
            parent: { database_id: configured(call, 'database_id') },
            // `title` is the id of the title property, however it is called.
            properties: { title: { title: text(page.title) } },
            ...(page.text === undefined
              ? {}
              : {
                  children: [
                    { object: 'block', type: 'paragraph', paragraph: { rich_text: text(page.text) } },
                  ],
                }),
          },
        });
        const made = z.looseObject({ id: z.string(), url: z.string().nullish() }).parse(json);
        return { page_id: made.id, url: made.url ?? null };
      },
    }),
  ],
};
