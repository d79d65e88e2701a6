import { type AudioFormat, bytesPerMs, L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { decodeMulaw } from '@voice/shared/audio/g711';
import { resample } from '@voice/shared/audio/resample';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import type { Entry } from '../../../../../loadtest/emulators/openai-realtime/conversation.js';
import { startOpenAiRealtimeEmulator } from '../../../../../loadtest/emulators/openai-realtime/server.js';
import { syntheticPhrase } from '../../../../../loadtest/emulators/recognition/synthetic-phrase.js';
import { describeRealtimeContract, type RealtimeHarness, type RealtimeMemory } from '../testing/contract.js';
import { createOpenAiRealtime } from './openai.js';

const HOURS = 'When are you open?';
const PARKING = 'Is there any parking at the clinic behind the house?';
const BOOK = 'Please book it.';
const WEATHER = 'Tell me the weather for next Friday, will you?';
const SCRIPT = [
  { whenUserSays: /open/, say: 'We are open from nine to five, Monday to Friday.' },
  { whenUserSays: /parking/, say: 'Yes, you can park behind the building for free.' },
  {
    whenUserSays: /book/,
    say: 'One moment.',
    toolCalls: [{ name: 'book', arguments: { day: 'Tuesday', note: 'a "quoted" note' } }],
  },
  { afterTool: 'book', say: 'It is booked, thank you very much.' },
  {
    whenUserSays: /weather/,
    say: 'Let me have a look.',
    toolCalls: [{ name: 'get_weather', arguments: { day: 'Friday' } }],
  },
];
const tool = (name: string) => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: 'object', properties: { day: { type: 'string' } } },
});

async function makeHarness(format: AudioFormat): Promise<RealtimeHarness> {
  const phrases = [HOURS, PARKING, BOOK, WEATHER].map(syntheticPhrase);
  const emulator = await startOpenAiRealtimeEmulator({
    apiKeys: ['good'],
    phrasebook: phrases,
    script: SCRIPT,
  });
  const frames = (text: string) => framesIn(format, phrases.find((phrase) => phrase.text === text)!.audio);
  return {
    provider: createOpenAiRealtime({ egress: createAddressPolicy(['127.0.0.0/8']) }),
    options: {
      choice: { provider: 'openai', model: '', params: { voice: 'marin' } },
      credentials: { api_key: 'good', base_url: emulator.baseUrl },
      instructions: 'You are a receptionist.',
      language: 'en-US',
      tools: [tool('book')],
      format,
    },
    badCredentials: { api_key: 'bad', base_url: emulator.baseUrl },
    badModel: 'gpt-unheard-of',
    phrases: [
      { text: HOURS, frames: frames(HOURS), answer: SCRIPT[0]!.say },
      { text: PARKING, frames: frames(PARKING), answer: SCRIPT[1]!.say },
    ],
    call: {
      text: BOOK,
      frames: frames(BOOK),
      name: 'book',
      arguments: { day: 'Tuesday', note: 'a "quoted" note' },
      answer: SCRIPT[3]!.say,
    },
    lateTool: { tool: tool('get_weather'), frames: frames(WEATHER) },
    attempts: () => emulator.counters.attempts,
    openConnections: () => emulator.counters.open,
    memory: () => emulator.memory().map(memoryOf),
    faults: {
      disconnect: () => emulator.dropConnections(),
      holdNextHandshake() {
        emulator.faults.holdNext = 1;
        return () => emulator.release();
      },
      muteNext: () => Object.assign(emulator.faults, { muteNext: 1 }),
      sendGarbage() {
        for (const text of ['{"type":', '[]', '{"type":"response.done"}', '{"type":"new.event"}']) {
          emulator.broadcast(text);
        }
      },
      stallNextResponse: () => Object.assign(emulator.faults, { stallNext: 1 }),
      cutNextResponse: () => Object.assign(emulator.faults, { cutNext: 1 }),
      failNextResponse: () => Object.assign(emulator.faults, { failNext: 1 }),
      expireSoon: () => Object.assign(emulator.faults, { sessionLimitMs: 60_000 }),
      expireNow: () => emulator.expireSessions(),
    },
    close: () => emulator.close(),
  };
}

function memoryOf({ item, understood, audioMs }: Entry): RealtimeMemory {
  switch (item.type) {
    case 'message':
      return { role: item.role, text: understood, ...(audioMs > 0 ? { audioMs } : {}) };
    case 'function_call':
      return { role: 'tool_call', text: item.name };
    case 'function_call_output':
      return { role: 'tool_result', text: item.output };
  }
}

/** Mu-law at 8 kHz as the line of that format would bring it. */
function framesIn(format: AudioFormat, mulaw: Uint8Array): Uint8Array[] {
  let bytes = mulaw;
  if (format.encoding === 'l16') {
    const samples = resample(decodeMulaw(mulaw), 8000, format.sampleRate);
    bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  }
  const size = bytesPerMs(format) * 20;
  const frames: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const frame = new Uint8Array(size).fill(format.encoding === 'l16' ? 0 : 0xff);
    frame.set(bytes.subarray(at, at + size));
    frames.push(frame);
  }
  return frames;
}

const capabilities = { answersUnasked: false, truncates: true, discards: true, changesTools: true };
describeRealtimeContract('openai, mu-law', () => makeHarness(PCMU_8K), capabilities);
describeRealtimeContract('openai, 16 kHz', () => makeHarness(L16_16K), capabilities);
