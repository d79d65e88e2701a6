import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Agent } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { exchange } from './http-exchange.js';

const servers: Server[] = [];
const connections = new Agent({ connections: 1 });

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const get = (url: string, timeoutMs = 1000) =>
  exchange(connections, { method: 'GET', url, headers: {}, timeoutMs });

describe('a request with the whole of its answer', () => {
  it('is sent as it is, and answered by status, headers and text', async () => {
    const url = await served(async (request, response) => {
      const { method, url: path, headers } = request;
      const said = `${method} ${path} ${headers.a} ${await text(request)}`;
      response.writeHead(409, { 'retry-after': '7' }).end(`${said} é`);
    });
    const answer = await exchange(connections, {
      method: 'POST',
      url: `${url}/p?q=1`,
      headers: { a: 'b' },
      body: 'ü',
      timeoutMs: 1000,
    });
    expect(answer).toMatchObject({ status: 409, text: 'POST /p?q=1 b ü é' });
    expect(answer.headers['retry-after']).toBe('7');
  });

  it.each([
    ['no answer comes', () => {}],
    ['the answer does not come to its end', (_request, response) => void response.write('a')],
  ] satisfies [string, RequestListener][])('fails by time where %s', async (_what, listener) => {
    const url = await served(listener);
    await expect(get(url, 30)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('fails by time where it waits for a connection, and is not sent afterwards', async () => {
    const paths: unknown[] = [];
    const url = await served(({ url: path }, response) => {
      paths.push(path);
      if (path === '/next') response.end('ok');
    });
    const first = get(`${url}/first`, 60);
    const second = get(`${url}/second`, 30);
    await expect(second).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(first).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await get(`${url}/next`)).toMatchObject({ text: 'ok' });
    expect(paths).toEqual(['/first', '/next']);
  });

  it('names a connection that is refused by its code', async () => {
    const url = await served(() => {});
    servers.splice(0)[0]!.close();
    await expect(get(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
