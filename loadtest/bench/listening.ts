import { constants, setPriority } from 'node:os';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { WebSocket } from 'ws';

/**
 * Listens in on a call as so many replicas would, in a process of its own: `listening.js URL PATH COUNT`, secret in
 * BENCH_SECRET.
 */
const [url = '', path = '', count = '0'] = process.argv.slice(2);
const secret = process.env.BENCH_SECRET ?? '';

// Listeners are on other machines; here they must not take the processor from what is measured.
setPriority(constants.priority.PRIORITY_LOW);

let received = 0;
let open = 0;
let closed = 0;
for (let number = 0; number < Number(count); number++) {
  // Half of them in stereo: both mixes are made.
  const target = `${path}?channels=${number % 2 === 0 ? 'mixed' : 'stereo'}`;
  const authorization = interPlaneAuthorization({ secret, method: 'GET', path: target, now: Date.now() });
  const socket = new WebSocket(url + target, { headers: { authorization }, perMessageDeflate: false });
  socket.on('open', () => {
    open += 1;
    if (open === Number(count)) process.send?.({ type: 'ready', port: 1 });
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) received += data.length;
  });
  socket.on('close', () => {
    closed += 1;
  });
  socket.on('error', (error) => {
    process.stderr.write(`bench: a listener: ${error.message}\n`);
    process.exit(1);
  });
}
process.on('message', () => process.send?.({ type: 'heard', received, closed }));
process.on('SIGTERM', () => process.exit(0));
