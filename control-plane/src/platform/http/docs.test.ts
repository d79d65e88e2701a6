import { get, type IncomingHttpHeaders } from 'node:http';
import { createContext, runInContext } from 'node:vm';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { silentLog } from '@voice/shared/log/log';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docsEndpoints } from './docs.js';

const app = express();
docsEndpoints(app, {
  document: () => ({
    openapi: '3.1.0',
    servers: [{ url: 'http://127.0.0.1:8080' }],
    paths: { '/api/v1/x': {} },
  }),
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

describe('the browsable view', () => {
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
      void fetch(`${url}/docs/start.js`).then(async (script) => runInContext(await script.text(), page));
    });
    expect(shown.spec).toEqual({
      openapi: '3.1.0',
      servers: [{ url: 'http://localhost:8080' }],
      paths: { '/api/v1/x': {} },
    });
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
