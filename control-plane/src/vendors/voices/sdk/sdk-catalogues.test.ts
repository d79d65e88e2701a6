import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { describe, expect, it } from 'vitest';
import { VendorFailure, VendorHttp } from '../../../platform/vendor-http.js';
import { MAX_PAGES } from '../bounds.js';
import { followPages } from './lists.js';
import type { Catalogue, SdkRequest } from './messages.js';
import { runSdk } from './run-sdk.js';
import { SdkCatalogues } from './sdk-catalogues.js';

const CATALOGUE: Catalogue = { vendor: 'deepgram', base: 'https://vendor.test/base', apiKey: 'the-key' };
const LIST: SdkRequest = { method: 'GET', url: 'https://vendor.test/base/v1/models', headers: {} };
const http = new VendorHttp(createAddressPolicy([]));

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("the process of a vendor's SDK", () => {
  it('sends what the SDK asks, as the SDK asks it, and follows no redirect', async () => {
    const asked: IncomingMessage[] = [];
    await using elsewhere = await serve((request, response) => {
      asked.push(request);
      response.end('{}');
    });
    await using vendor = await serve((request, response) => {
      asked.push(request);
      response.writeHead(302, { location: `${elsewhere.url}${request.url}` }).end();
    });
    const reading = new SdkCatalogues({ http }).read({ ...CATALOGUE, base: vendor.url });
    await expect(reading).rejects.toMatchObject({ kind: 'refused', status: 302 });
    expect(asked.map(({ method, url, headers }) => [method, url, headers.authorization])).toEqual([
      ['GET', '/v1/models', 'Token the-key'],
    ]);
    expect(asked[0]!.headers['user-agent']).toMatch(/^@deepgram\/sdk\//);
  });

  it('ends with the signal, and does not start after it', async () => {
    const stop = new AbortController();
    const reading = runSdk(CATALOGUE, () => Promise.reject(new Error('asked')), stop.signal);
    stop.abort();
    const late = new VendorFailure('unavailable', 'The vendor did not list its voices in time.');
    await expect(reading).rejects.toEqual(late);
    await expect(runSdk(CATALOGUE, () => Promise.resolve(), stop.signal)).rejects.toEqual(late);
  });
});

describe("the catalogues of vendors' SDKs", () => {
  it('are read one at a time of each vendor, also after one that failed', async () => {
    const running: { vendor: string; end(error?: Error): void }[] = [];
    const sdks = new SdkCatalogues({
      http,
      run: ({ vendor }) =>
        new Promise((resolve, reject) => {
          running.push({ vendor, end: (error) => (error ? reject(error) : resolve([])) });
        }),
    });
    const lists = [CATALOGUE, CATALOGUE, { ...CATALOGUE, vendor: 'elevenlabs' as const }].map((catalogue) =>
      sdks.read(catalogue),
    );
    await Promise.resolve();
    expect(running.map(({ vendor }) => vendor)).toEqual(['deepgram', 'elevenlabs']);
    running[0]!.end(new VendorFailure('unavailable', 'away'));
    await expect(lists[0]).rejects.toThrow('away');
    await expect.poll(() => running.length).toBe(3);
    for (const { end } of running) end();
    expect(await Promise.all(lists.slice(1))).toEqual([[], []]);
  });

  it.each([
    ['a request that changes something', { ...LIST, method: 'POST' }],
    ['a request to another address', { ...LIST, url: 'https://other.test/base/v1/models' }],
    ['a request by another protocol', { ...LIST, url: LIST.url.replace('https', 'http') }],
  ])('refuse %s', async (_, request) => {
    const sent: string[] = [];
    const sdks = new SdkCatalogues({
      http: {
        async send({ url }) {
          sent.push(url);
          return { status: 200, json: {} };
        },
      },
      run: async (_catalogue, send, signal) => [await send(LIST, signal), await send(request, signal)],
    });
    await expect(sdks.read(CATALOGUE)).rejects.toMatchObject({ name: 'VendorFailure', kind: 'refused' });
    expect(sent).toEqual([LIST.url]);
  });
});

it('a list that never ends is followed as far as the bound', async () => {
  const pages = await followPages(async (token) => ({ hasMore: true, nextPageToken: `${token ?? ''}x` }));
  expect(pages).toHaveLength(MAX_PAGES);
  expect(await followPages(async () => ({ hasMore: false, nextPageToken: 'x' }))).toHaveLength(1);
});
