import { get, type IncomingHttpHeaders } from 'node:http';
import { createContext, runInContext } from 'node:vm';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { silentLog } from '@voice/shared/log/log';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docsEndpoints } from './endpoints.js';

const DESCRIPTION = {
  openapi: '3.1.0',
  info: { title: 'Voice agents', version: '1.2.3', description: '## Conventions\nMoney is USD.' },
  servers: [{ url: 'http://127.0.0.1:8080' }],
  tags: [
    { name: 'Phone numbers', description: 'Buy <b>numbers</b>.' },
    { name: 'Nothing', description: 'A tag without operations.' },
  ],
  paths: {
    '/api/v1/phones/{phone_id}/agent': {
      post: {
        operationId: 'assignAgent',
        'x-client-method': 'phoneNumbers.assignAgent',
        tags: ['Phone numbers'],
        summary: 'Assign an agent',
        description: 'Who answers <script>alert(1)</script>.',
        parameters: [
          { name: 'phone_id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Assign' },
              example: { agent_id: "it's", tags: ['a', null, true] },
            },
          },
        },
        responses: {
          200: {
            description: 'Assigned.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Assign' } } },
          },
          404: { $ref: '#/components/responses/NotThere' },
        },
      },
    },
  },
  components: {
    schemas: {
      Assign: {
        type: 'object',
        required: ['agent_id'],
        properties: {
          agent_id: { type: 'string', format: 'uuid', description: 'The agent.', examples: ['0198'] },
          limit: { type: 'integer', minimum: 1, maximum: 5, default: 3 },
          // Refers to itself: shown to a depth.
          parent: { $ref: '#/components/schemas/Assign' },
        },
      },
    },
    responses: { NotThere: { description: '`not_there`: No such number.' } },
  },
};
const app = express();
docsEndpoints(app, {
  document: () => DESCRIPTION,
  admit: async () => {},
  log: silentLog,
});
let url: string;
const server = app.listen(0, '127.0.0.1');
beforeAll(async () => {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe('the console', () => {
  it('sends what is tried out to where the page came from, by whatever name that was', async () => {
    const shown = await new Promise<Record<string, unknown>>((resolve) => {
      const SwaggerUIBundle = Object.assign((options: Record<string, unknown>) => resolve(options), {
        presets: { apis: 'apis' },
      });
      const page = createContext({
        fetch: (path: string) => fetch(url + path),
        location: { origin: 'http://localhost:8080' },
        SwaggerUIBundle,
        window: {},
      });
      void fetch(`${url}/docs/console/start.js`).then(async (script) =>
        runInContext(await script.text(), page),
      );
    });
    expect(shown.spec).toEqual({ ...DESCRIPTION, servers: [{ url: 'http://localhost:8080' }] });
  });
});

describe('/v1/openapi.json', () => {
  const fetched = (coding: string) =>
    new Promise<{ headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
      get(`${url}/v1/openapi.json`, { headers: { 'accept-encoding': coding } }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(chunks) }));
      }).on('error', reject);
    });

  it.each([
    ['br', 'br, gzip', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    [undefined, 'identity', (body: Buffer) => body],
  ])('is sent as %s to who accepts %s', async (coding, accepted, decompress) => {
    const { headers, body } = await fetched(accepted);
    expect(headers['content-encoding']).toBe(coding);
    expect(headers.vary).toContain('Accept-Encoding');
    expect(JSON.parse(decompress(body).toString())).toMatchObject({ openapi: '3.1.0' });
  });
});

describe('/docs', () => {
  const text = async (path: string) => {
    const answer = await fetch(url + path);
    return {
      status: answer.status,
      policy: answer.headers.get('content-security-policy'),
      body: await answer.text(),
    };
  };

  it('shows an operation with its fields, its errors and a request in three languages', async () => {
    const { status, body } = await text('/docs/reference/phone-numbers');
    expect(status).toBe(200);
    expect(body).toContain('<code>/api/v1/phones/{phone_id}/agent</code>');
    expect(body).toContain(
      '<code>agent_id</code> <span class="type">string (UUID)</span> <span class="required">required</span>',
    );
    expect(body).toContain('1 to 5');
    expect(body).toContain('No such number.');
    const words = body
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&#39;', "'")
      .replaceAll(/&(quot|#x27);/g, (_, name) => (name === 'quot' ? '"' : "'"));
    expect(words).toContain(`curl -X POST "$API_URL/api/v1/phones/$PHONE_ID/agent" \\\n`);
    expect(words).toContain(`"agent_id": "it'\\''s"`);
    expect(words).toContain('const answer = await voice.phoneNumbers.assignAgent(phoneId, {');
    expect(words).toContain(
      'answer = voice.phone_numbers.assign_agent(\n    phone_id,\n    agent_id="it\'s",',
    );
    expect(words).toContain('        None,\n        True,\n');
  });

  it('shows what a description says as text, never as HTML of its own', async () => {
    const pages = await Promise.all(['/docs', '/docs/reference/phone-numbers'].map(text));
    for (const { body } of pages) {
      expect(body).not.toContain('<script>alert');
      expect(body).not.toContain('<b>numbers');
    }
  });

  it('runs nothing inline', async () => {
    const { policy, body } = await text('/docs');
    expect(policy).toContain("script-src 'self'; style-src 'self';");
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style| style="| on[a-z]+="/);
  });

  it('leads from the overview to every page, and each page is there', async () => {
    const { body } = await text('/docs');
    const links = new Set(
      [...body.matchAll(/href="(\/docs\/(?:guides|reference)\/[^"#]+)/g)].map(([, href]) => href!),
    );
    expect(links.size).toBeGreaterThan(10);
    expect(links).not.toContain('/docs/reference/nothing');
    for (const link of links) expect((await text(link)).status, link).toBe(200);
  });

  it('links from guide to guide within the reader, to sections that are there', async () => {
    const { body: overview } = await text('/docs');
    const guides = [
      ...new Set([...overview.matchAll(/href="(\/docs\/guides\/[^"#]+)/g)].map(([, href]) => href!)),
    ];
    const pages = new Map(
      await Promise.all(guides.map(async (path) => [path, (await text(path)).body] as const)),
    );
    const broken = [...pages].flatMap(([path, page]) =>
      [...page.matchAll(/href="(\/docs\/guides\/[^"#]*)?#([^"]+)"/g)]
        .filter(([, to = path, id]) => pages.get(to)?.includes(`id="${id}"`) !== true)
        .map(([link]) => `${path}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it('finds sections of guides and operations', async () => {
    const entries = JSON.parse((await text('/docs/search.json')).body) as { id: string; title: string }[];
    expect(entries).toContainEqual(
      expect.objectContaining({ id: '/docs/reference/phone-numbers#assignAgent', title: 'Assign an agent' }),
    );
    expect(entries).toContainEqual(
      expect.objectContaining({ id: '/docs/guides/getting-started#a-first-call' }),
    );
  });

  it('finds nothing that is not on its page', async () => {
    const entries = JSON.parse((await text('/docs/search.json')).body) as { id: string }[];
    const pages = new Map<string, string>();
    for (const path of new Set(entries.map(({ id }) => id.split('#')[0]!))) {
      pages.set(path, (await text(path)).body);
    }
    const lost = entries.filter(({ id }) => {
      const [path, anchor] = id.split('#');
      return !pages.get(path!)?.includes(`id="${anchor}"`);
    });
    expect(lost).toEqual([]);
  });

  it.each([
    'docs.css',
    'docs.js',
    'theme.js',
    'theme.css',
    'icon.svg',
    'minisearch.js',
    'console/swagger-ui.css',
  ])('has its %s', async (file) => {
    expect((await fetch(`${url}/docs/${file}`)).status).toBe(200);
  });

  it.each(['/docs/guides/nowhere', '/docs/reference/nothing'])('says that %s is not there', async (path) => {
    expect(await text(path)).toMatchObject({
      status: 404,
      body: expect.stringContaining('There is no such page'),
    });
  });
});
