import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { banner } from './banner.js';
import { readConfig } from './config.js';
import { workerRoom } from './worker-room.js';

it('waits for the first reports of the workers, and the banner says how much room they have', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    const with_room = asked < 3 ? 1 : 2;
    response.end(
      JSON.stringify({ workers: { reporting: with_room, with_room, free_places: with_room * 100 } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const room = await workerRoom(apiUrl, 2);
  server.close();
  expect(asked).toBe(3);
  const config = readConfig({ WORKERS: '2' });
  const links = { dashboard: undefined, talk: undefined };
  expect(banner(config, [], { apiUrl, internalUrl: apiUrl, links, room })).toMatch(
    /Workers +2 of 2 with room, for 200 more calls/,
  );
});
