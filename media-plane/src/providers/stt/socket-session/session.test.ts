import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  type DeepgramEmulator,
  startDeepgramEmulator,
} from '../../../../../loadtest/emulators/deepgram/server.js';
import { createDeepgramSpeechToText } from '../deepgram/deepgram.js';
import type { SttEvent, SttSign } from '../port.js';
import { EMULATED_VENDOR, QUICK_RETRIES } from '../testing/emulated-vendor.js';
import { sessionOptions } from '../testing/session-options.js';

let vendor: DeepgramEmulator;
beforeEach(async () => {
  vendor = await startDeepgramEmulator(EMULATED_VENDOR);
});
afterEach(() => vendor.close());

/** Lets the vendor end connection after connection, each after so long; returns what the session reports. */
async function endsEachAfter(openMs: number, connections: number): Promise<SttEvent[]> {
  const clock = new ScriptedClock();
  const events: SttEvent[] = [];
  const signs: SttSign[] = [];
  const choice = { provider: 'deepgram', model: 'flux-general-en', params: {} };
  const credentials = { api_key: 'good', base_url: vendor.url };
  const session = createDeepgramSpeechToText(QUICK_RETRIES).open(
    sessionOptions({ choice, credentials, clock, events }, { onSign: (sign) => signs.push(sign) }),
  );
  const count = (sign: SttSign) => signs.filter((other) => other === sign).length;
  for (let n = 1; n <= connections && events.length === 0; n++) {
    await expect.poll(() => count('connected')).toBe(n);
    clock.advance(openMs);
    vendor.dropConnections();
    await expect.poll(() => count('disconnected')).toBe(n);
    clock.advance(100);
  }
  session.close();
  return events;
}

it('outlives a vendor that ends idle connections while the phone rings', async () => {
  expect(await endsEachAfter(10_000, 6)).toEqual([]);
});

it('fails when each connection breaks right after it was made', async () => {
  expect(await endsEachAfter(100, 6)).toMatchObject([{ type: 'failed' }]);
});

it('takes what is no JSON for no sign of life', async () => {
  vendor.faults.garbageNext = 1;
  const signs: SttSign[] = [];
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => warnings.push(message) };
  const choice = { provider: 'deepgram', model: 'flux-general-en', params: {} };
  const credentials = { api_key: 'good', base_url: vendor.url };
  const session = createDeepgramSpeechToText(QUICK_RETRIES).open(
    sessionOptions(
      { choice, credentials, clock: new ScriptedClock(), events: [] },
      { onSign: (sign) => signs.push(sign), log },
    ),
  );
  await vi.waitFor(() => expect(warnings).toEqual(['speech-to-text message is not JSON']));
  expect(signs).toEqual(['connected']);
  session.close();
});
