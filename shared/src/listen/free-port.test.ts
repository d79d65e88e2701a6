import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from './free-port.js';

it('is one that can be listened on, and that the system gives to nobody by chance', async () => {
  const port = await freePort();
  expect(port).toBeLessThan(32_768);
  const server = createServer().listen(port);
  await once(server, 'listening');
  const others = await Promise.all(Array.from({ length: 200 }, freePort));
  expect(others).not.toContain(port);
  server.close();
});
