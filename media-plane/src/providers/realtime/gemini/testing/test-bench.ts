import { PCMU_8K } from '@voice/shared/audio/format';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, expect } from 'vitest';
import type { GeminiLiveEmulatorOptions } from '../../../../../../loadtest/emulators/gemini-live/options.js';
import {
  type GeminiLiveEmulator,
  startGeminiLiveEmulator,
} from '../../../../../../loadtest/emulators/gemini-live/server.js';
import { syntheticPhrase } from '../../../../../../loadtest/emulators/recognition/synthetic-phrase.js';
import { CountingClock } from '../../../testing/counting-clock.js';
import { moment } from '../../../testing/moment.js';
import type { RealtimeEvent, RealtimeOptions } from '../../port.js';
import { eventually, RealtimeListener } from '../../testing/listener.js';
import { createGeminiLive } from '../gemini.js';

export const HOURS = syntheticPhrase('What are your opening hours?');
export const BOOK = syntheticPhrase('Please book an appointment.');
export const OPEN = 'We are open from nine to five on every day of the week.';
const TOOL = { name: 'book', description: 'Books', parameters: { type: 'object', properties: {} } };

/** Of the case that runs now. */
export let emulator: GeminiLiveEmulator;
const listeners: RealtimeListener[] = [];
const clock = new CountingClock();

export async function start(options: GeminiLiveEmulatorOptions = {}): Promise<void> {
  emulator = await startGeminiLiveEmulator({
    phrasebook: [HOURS, BOOK],
    delays: { firstAudioDelayMs: 5, transcriptionDelayMs: 0 },
    speed: 1000,
    playSpeed: 1000,
    chunkMs: 100,
    script: [
      { whenUserSays: /hours/, say: OPEN },
      { whenUserSays: /book/, say: '', toolCalls: [{ name: 'book', arguments: { day: 'Monday' } }] },
      { afterTool: 'book', say: 'It is booked.' },
      { whenUserSays: /^$/, say: 'What was that noise?' },
    ],
    ...options,
  });
  emulator.faults.afterAudioMs = 100;
}

export function open(overrides: Partial<RealtimeOptions> = {}): RealtimeListener {
  const events: RealtimeEvent[] = [];
  const options: RealtimeOptions = {
    choice: { provider: 'gemini', model: '', params: {} },
    credentials: { api_key: 'good', base_url: emulator.url },
    instructions: 'You are a receptionist.',
    language: 'en-US',
    tools: [TOOL],
    format: PCMU_8K,
    turnDetection: 'ours',
    history: [],
    clock,
    log: silentLog,
    onEvent: (event) => events.push(event),
    ...overrides,
  };
  const provider = createGeminiLive({
    egress: createAddressPolicy([]),
    backoff: { firstMs: 5, maxMs: 20, maxFailures: 3 },
  });
  const listener = new RealtimeListener(provider.open(options), events, options.format);
  listeners.push(listener);
  return listener;
}

/** Opens a session that has had one turn, and could be resumed. */
export async function talking(overrides: Partial<RealtimeOptions> = {}): Promise<RealtimeListener> {
  const listener = await open(overrides).ready();
  await listener.completed(listener.session.respond({ verbatim: 'Hello, how can I help you?' }));
  await eventually(() => expect(emulator.memory().messages.at(-1)?.role).toBe('assistant'));
  await moment(20);
  return listener;
}

export const remembered = () => emulator.memory().messages.map((message) => message.content);

/** Checks that a case leaves neither a connection nor a timer behind. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const { session } of listeners.splice(0)) session.close();
    await eventually(() => expect(emulator.counters.open).toBe(0));
    expect(clock.pending).toBe(0);
    await emulator.close();
  });
}
