import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LoadBalancer, type Replica } from './load-balancer.js';

let balancer: LoadBalancer;
const replicas: Server[] = [];

async function replica(listener: RequestListener): Promise<Replica> {
  const server = createServer(listener);
  replicas.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const listeners = { port, internalPort: port };
  balancer.add(listeners);
  return listeners;
}
const named = (name: string) => replica((_request, response) => response.end(name));
const ask = async (path = '/') => (await fetch(balancer.url + path)).text();

beforeEach(async () => {
  balancer = await LoadBalancer.start();
});
afterEach(async () => {
  await balancer.close();
  for (const server of replicas.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe('the load balancer before replicas', () => {
  it('gives each request to the next replica in turn', async () => {
    await named('a');
    await named('b');
    expect([await ask(), await ask(), await ask()]).toEqual(['a', 'b', 'a']);
  });

  it('gives none to a replica that was taken away', async () => {
    const gone = await named('a');
    await named('b');
    balancer.remove(gone);
    expect([await ask(), await ask()]).toEqual(['b', 'b']);
  });

  it('passes on method, path, headers and body, and the answer’s', async () => {
    await replica((request, response) => {
      response.writeHead(201, [
        ...['set-cookie', 'a=1'],
        ...['set-cookie', 'b=2'],
        ...['x-host', request.headers.host ?? ''],
        ...['x-asked', `${request.method} ${request.url}`],
      ]);
      request.pipe(response);
    });
    const answer = await fetch(`${balancer.url}/a?b=c`, { method: 'PUT', body: 'x'.repeat(200_000) });
    expect(answer.status).toBe(201);
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(answer.headers.get('x-host')).toBe(`127.0.0.1:${balancer.port}`);
    expect(answer.headers.get('x-asked')).toBe('PUT /a?b=c');
    expect((await answer.text()).length).toBe(200_000);
  });

  it('passes on the beginning of an answer before its end', async () => {
    await replica((_request, response) => void response.write('first'));
    const reader = (await fetch(balancer.url)).body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('first');
    await reader.cancel();
  });

  it('breaks off when the replica does, and when there is none', async () => {
    await expect(ask()).rejects.toThrow();
    await replica((request) => request.socket.destroy());
    await expect(ask()).rejects.toThrow();
  });

  it('lets the replica know that the client is gone', async () => {
    const gone = new Promise<void>((resolve) => {
      void replica((request) => request.socket.once('close', () => resolve()));
    });
    await expect(fetch(balancer.url, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
    await gone;
  });
});
