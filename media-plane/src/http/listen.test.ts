import { App, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { listen } from './listen.js';

const HOST = '127.0.0.1';

it('refuses a port on which another listens', async () => {
  const socket = await listen(App(), { host: HOST, port: 0 });
  const port = us_socket_local_port(socket);
  await expect(listen(App(), { host: HOST, port })).rejects.toThrow(`Port ${port} of ${HOST} is taken.`);
  us_listen_socket_close(socket);
});

it('takes the port of a process that was killed while it had connections', async () => {
  const child = fork(fileURLToPath(new URL('../../dist/http/testing/listening-process.js', import.meta.url)));
  const [port] = (await once(child, 'message')) as [number];
  const client = connect(port, HOST);
  await once(client, 'connect');
  // By the end of its connections or by a reset.
  const closed = new Promise((resolve) => client.on('error', () => {}).once('close', resolve));
  child.kill('SIGKILL');
  await Promise.all([once(child, 'exit'), closed]);
  const socket = await listen(App(), { host: HOST, port });
  expect(us_socket_local_port(socket)).toBe(port);
  us_listen_socket_close(socket);
});
