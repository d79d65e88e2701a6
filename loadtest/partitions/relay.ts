import { connect, createServer } from 'node:net';

/** Passes connections on: `relay.js HOST PORT TO_HOST`, to the same port there. Ends with its parent. */
const [host = '127.0.0.1', port = '0', to = '127.0.0.1'] = process.argv.slice(2);

const server = createServer((near) => {
  const far = connect(Number(port), to);
  near.pipe(far).pipe(near);
  for (const socket of [near, far]) {
    socket.on('error', () => {
      near.destroy();
      far.destroy();
    });
  }
});
server.listen(Number(port), host, () => process.send?.({ type: 'ready', port: Number(port) }));
process.on('disconnect', () => process.exit(0));
