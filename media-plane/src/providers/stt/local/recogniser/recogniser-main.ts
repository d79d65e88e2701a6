/**
 * The process of the machine's recogniser: one for all workers, started by whichever needs it first, ended
 * when nobody is connected any more. Arguments: socket, encoder, decoder, tokens, threads.
 */
import { systemClock } from '@voice/shared/clock/clock';
import { Moonshine } from './moonshine.js';
import { RecogniserServer } from './recogniser-server.js';

/** From the last connection's end to the process's, in ms. */
const UNUSED_MS = 3000;

const [socketPath = '', encoder = '', decoder = '', tokens = '', threads = '1'] = process.argv.slice(2);
// Asked for before it is loaded, it answers when it is.
const model = Moonshine.load({ encoder, decoder, tokens, threads: Number(threads) });
model.catch((error: unknown) => {
  process.stderr.write(`the recogniser cannot load its model: ${String(error)}\n`);
  process.exit(1);
});
const server = new RecogniserServer({
  socketPath,
  clock: systemClock,
  transcribe: async (audio) => (await model).transcribe(audio),
  unusedMs: UNUSED_MS,
  onUnused: () => void server.close().then(() => process.exit(0)),
});
// A terminal's Ctrl-C goes to all; the workers may still be talking.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
if (!(await server.listen())) process.exit(0);
