import { setTimeout as sleep } from 'node:timers/promises';
import { FRAME_BYTES } from '@voice/shared/audio/g711';
import { BuiltProgram } from '@voice/shared/process/built-program';
import { FrameClock } from './frame-clock.js';
import { MediaClient } from './media-client.js';

export interface EchoResult {
  /** From a frame's sending to its return, in ms. */
  readonly roundTrips: readonly number[];
  /** CPU time of the echo server for a second of one call, in ms. */
  readonly cpuPerCall: number;
}

const WARM_UP_MS = 1000;
const frame = Buffer.alloc(FRAME_BYTES, 0x55).toString('base64');

/** Runs as many streams with the same frames against the bare echo server. */
export async function runEcho(calls: number, seconds: number): Promise<EchoResult> {
  const server = await BuiltProgram.start('loadtest/dist/bench/echo-server.js', []);
  const clock = new FrameClock();
  const roundTrips: number[] = [];
  const clients: MediaClient[] = [];
  for (let call = 0; call < calls; call++) {
    const sent: number[] = [];
    const client = await MediaClient.open(
      { url: `ws://127.0.0.1:${server.port}/`, callId: String(call), token: '' },
      {
        onAudio: (at) => void roundTrips.push(at - (sent.shift() ?? at)),
        onClear: () => {},
        onClosed: () => {},
      },
    );
    clients.push(client);
    clock.add({
      tick(now) {
        sent.push(performance.now());
        client.sendFrame(frame, now);
      },
    });
  }
  await sleep(WARM_UP_MS);
  roundTrips.length = 0;
  const before = server.usage();
  await sleep(seconds * 1000);
  const cpuPerCall = (server.usage().cpuMs - before.cpuMs) / seconds / calls;
  const measured = [...roundTrips];
  clock.stop();
  for (const client of clients) client.close();
  await server.stop();
  return { roundTrips: measured, cpuPerCall };
}
