import { Agent, request, type ServerResponse } from 'node:http';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { expect, it } from 'vitest';
import { createHttpServer, DRAIN_LIMIT_MS, drain, listen } from './server.js';

/** A server whose answers the test gives, and a client that keeps its connection. */
async function slowServer() {
  const waiting: ServerResponse[] = [];
  const server = createHttpServer((_request, response) => {
    waiting.push(response);
  });
  const port = await listen(server, 0);
  const agent = new Agent({ keepAlive: true });
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      request({ port, host: '127.0.0.1', agent }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () => resolve(text));
        response.on('error', reject);
      })
        .on('error', reject)
        .end();
    });
  const arrived = async (count: number) => {
    while (waiting.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { server, waiting, ask, arrived };
}

it('given a live request, a drain refuses new ones, lets it finish, and ends although its client keeps the connection', async () => {
  const clock = new ScriptedClock();
  const { server, waiting, ask, arrived } = await slowServer();
  const live = ask();
  await arrived(1);
  const drained = drain(server, clock);
  clock.advance(1000);
  await expect(ask()).rejects.toThrow('ECONNREFUSED');
  waiting[0]?.end('finished');
  expect(await live).toBe('finished');
  clock.advance(100);
  await drained;
  expect(clock.pending).toBe(0);
});

it('given a request that never ends, a drain cuts it at its limit', async () => {
  const clock = new ScriptedClock();
  const { server, ask, arrived } = await slowServer();
  const live = ask();
  const cut = expect(live).rejects.toThrow();
  await arrived(1);
  const drained = drain(server, clock);
  clock.advance(DRAIN_LIMIT_MS);
  await cut;
  await drained;
});
