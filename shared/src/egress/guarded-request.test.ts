import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAddressPolicy } from './address-policy.js';
import { guardedRequest } from './guarded-request.js';

const strict = createAddressPolicy([]);
const loopback = createAddressPolicy(['127.0.0.0/8', '::1/128']);

describe('the address policy', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::a00:1',
    '::10.0.0.1',
    '::ffff:0:10.0.0.1',
    '2002:a00:1::',
    '2001:0:a00:1::',
    '3fff::1',
    '4000::1',
    'fec0::1',
    'ff02::1',
    'not an address',
  ])('refuses %s', (address) => {
    expect(strict.allows(address)).toBe(false);
  });

  it.each(['1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1', '::ffff:1.1.1.1'])(
    'allows %s',
    (address) => {
      expect(strict.allows(address)).toBe(true);
    },
  );

  it('allows what configuration allows, and nothing beside it', () => {
    const policy = createAddressPolicy(['10.1.0.0/16']);
    expect(policy.allows('10.1.2.3')).toBe(true);
    expect(policy.allows('10.2.2.3')).toBe(false);
  });

  it('names a range that is none', () => {
    expect(() => createAddressPolicy(['10.0.0.0'])).toThrow(/10\.0\.0\.0 is not a CIDR/);
    expect(() => createAddressPolicy(['10.0.0.0/33'])).toThrow(/CIDR/);
  });
});

describe('a server that cannot be reached', () => {
  const failing = (url: string) =>
    guardedRequest({ url, method: 'GET', timeoutMs: 5000, maxResponseBytes: 100, policy: loopback });
  const listening = async (onConnection: (socket: Socket) => void) => {
    const raw = createTcpServer(onConnection);
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
    return { raw, url: `127.0.0.1:${(raw.address() as AddressInfo).port}/` };
  };

  it('that refuses the connection, whose name does not resolve: the error names which', async () => {
    const { raw, url } = await listening(() => {});
    await new Promise((resolve) => raw.close(resolve));
    await expect(failing(`http://${url}`)).rejects.toMatchObject({
      code: 'egress_failed',
      message: 'The server could not be reached: it refused the connection.',
    });
    await expect(failing('http://nobody.invalid/')).rejects.toMatchObject({
      message: 'The server could not be reached: its name cannot be resolved.',
    });
  });

  it('for a header that is none: the error says so', async () => {
    const request = { url: 'http://127.0.0.1:9/', method: 'GET', headers: { 'no token': 'x' } };
    const limits = { timeoutMs: 5000, maxResponseBytes: 100, policy: loopback };
    await expect(guardedRequest({ ...request, ...limits })).rejects.toMatchObject({
      code: 'egress_failed',
      message: 'The server could not be reached: a header of the request is not valid.',
    });
  });

  it.each<[string, string, (socket: Socket) => void, string]>([
    ['hangs up', 'http', (socket) => socket.destroy(), 'it closed the connection'],
    [
      'answers by an upgrade that nobody asked for',
      'http',
      (socket) => socket.write('HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      'its answer is no HTTP',
    ],
    ['speaks no HTTP', 'http', (socket) => socket.end('nonsense\r\n\r\n'), 'its answer is no HTTP'],
    ['speaks no TLS', 'https', (socket) => socket.end('nonsense\r\n\r\n'), 'it speaks no TLS'],
  ])('that %s', async (_, scheme, onConnection, reason) => {
    const { raw, url } = await listening(onConnection);
    try {
      await expect(failing(`${scheme}://${url}`)).rejects.toMatchObject({
        code: 'egress_failed',
        message: expect.stringContaining(reason),
      });
    } finally {
      raw.close();
    }
  });
});

describe("a request to a tenant's URL", () => {
  let server: Server;
  let base: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/redirect') response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
      else if (request.url === '/large') response.end(Buffer.alloc(5000));
      else if (request.url === '/hang') return;
      else response.end(`${request.method} ${request.headers['x-test'] ?? ''}`);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const send = (url: string, policy = loopback, timeoutMs = 30_000) =>
    guardedRequest({
      url,
      method: 'POST',
      headers: { 'x-test': 'yes' },
      body: '{}',
      timeoutMs,
      maxResponseBytes: 1000,
      policy,
    });

  it('goes out where the policy allows it', async () => {
    const response = await send(`${base}/`);
    expect([response.status, response.body.toString()]).toEqual([200, 'POST yes']);
  });

  it('is refused for a private address, written out or behind a name', async () => {
    expect(() => send(`${base}/`, strict)).toThrow(
      expect.objectContaining({ code: 'egress_address_refused' }),
    );
    const port = new URL(base).port;
    await expect(send(`http://localhost:${port}/`, strict)).rejects.toMatchObject({
      code: 'egress_address_refused',
    });
  });

  it.each(['ftp://example.com/', 'file:///etc/passwd', 'nonsense', 'http://user:pw@example.com/'])(
    'is refused for %s',
    (url) => {
      expect(() => send(url)).toThrow(expect.objectContaining({ code: 'egress_url_refused' }));
    },
  );

  it('follows no redirect', async () => {
    expect((await send(`${base}/redirect`)).status).toBe(302);
  });

  it('cuts a long answer for those who only want the status', async () => {
    const response = await guardedRequest({
      url: `${base}/large`,
      method: 'POST',
      timeoutMs: 30_000,
      maxResponseBytes: 1000,
      longAnswer: 'cut',
      policy: loopback,
    });
    expect([response.status, response.body.length]).toEqual([200, 1000]);
  });

  it('gives up on a long answer and on a slow one', async () => {
    await expect(send(`${base}/large`)).rejects.toMatchObject({ code: 'egress_response_too_large' });
    await expect(send(`${base}/hang`, loopback, 300)).rejects.toMatchObject({ code: 'egress_timed_out' });
  });
});
