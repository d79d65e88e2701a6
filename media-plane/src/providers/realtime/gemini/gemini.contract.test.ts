import { convertAudio } from '@voice/shared/audio/converter';
import { type AudioFormat, frameBytes, L16_24K, PCMU_8K, silenceByte } from '@voice/shared/audio/format';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { startGeminiLiveEmulator } from '../../../../../loadtest/emulators/gemini-live/server.js';
import { syntheticPhrase } from '../../../../../loadtest/emulators/recognition/synthetic-phrase.js';
import {
  describeRealtimeContract,
  type RealtimeHarness,
  type RealtimeMemory,
  type RealtimePhrase,
} from '../testing/contract.js';
import { createGeminiLive } from './gemini.js';

const TALK = [
  { text: 'What are your opening hours?', answer: 'We are open from nine to five, Monday to Friday.' },
  { text: 'Where can I park my car?', answer: 'You can park behind the building, free of charge.' },
];
const CALL = { text: 'Please book an appointment on Monday.', answer: 'It is booked. See you on Monday.' };
const LATE = { text: 'Please send me a reminder.', answer: 'I am afraid that I cannot do that.' };
const PHRASES = new Map([...TALK, CALL, LATE].map(({ text }) => [text, syntheticPhrase(text)]));

const BOOK = {
  name: 'book',
  description: 'Books an appointment',
  parameters: { type: 'object', properties: {} },
};
const REMIND = {
  name: 'remind',
  description: 'Sends a reminder',
  parameters: { type: 'object', properties: {} },
};

function framesOf(text: string, format: AudioFormat): Uint8Array[] {
  const bytes = convertAudio(PHRASES.get(text)!.audio, { from: PCMU_8K, to: format });
  const size = frameBytes(format);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => {
    const frame = new Uint8Array(size).fill(silenceByte(format));
    frame.set(bytes.subarray(index * size, (index + 1) * size));
    return frame;
  });
}

async function makeHarness(model: string, format: AudioFormat): Promise<RealtimeHarness> {
  const emulator = await startGeminiLiveEmulator({
    phrasebook: [...PHRASES.values()],
    apiKeys: ['good'],
    delays: { firstAudioDelayMs: 20, transcriptionDelayMs: 0 },
    speed: 1000,
    playSpeed: 1000,
    chunkMs: 200,
    script: [
      {
        whenUserSays: /book/,
        say: 'One moment.',
        toolCalls: [{ name: 'book', arguments: { day: 'Monday' } }],
      },
      { afterTool: 'book', say: CALL.answer },
      { whenUserSays: /reminder/, say: LATE.answer, toolCalls: [{ name: 'remind', arguments: {} }] },
      ...TALK.map(({ text, answer }) => ({
        whenUserSays: new RegExp(text.replace('?', '\\?')),
        say: answer,
      })),
    ],
  });
  emulator.faults.afterAudioMs = 200;
  const phrase = ({ text, answer }: { text: string; answer: string }): RealtimePhrase => ({
    text,
    answer,
    frames: framesOf(text, format),
  });
  return {
    provider: createGeminiLive({
      egress: createAddressPolicy([]),
      backoff: { firstMs: 5, maxMs: 20, maxFailures: 3 },
    }),
    options: {
      choice: { provider: 'gemini', model, params: {} },
      credentials: { api_key: 'good', base_url: emulator.url },
      instructions: 'You are a receptionist.',
      language: 'en-US',
      format,
      tools: [BOOK],
    },
    badCredentials: { api_key: 'bad', base_url: emulator.url },
    badModel: 'gemini-3.9-live-nonsense',
    phrases: TALK.map(phrase),
    call: { ...phrase(CALL), name: 'book', arguments: { day: 'Monday' } },
    lateTool: { tool: REMIND, frames: framesOf(LATE.text, format) },
    attempts: () => emulator.counters.attempts,
    openConnections: () => emulator.counters.open,
    memory: () =>
      emulator.memory().messages.flatMap((message): RealtimeMemory[] => {
        switch (message.role) {
          case 'tool':
            return [{ role: 'tool_result', text: message.content }];
          case 'assistant':
            return [
              { role: 'assistant', text: message.content },
              ...(message.toolCalls ?? []).map((call) => ({ role: 'tool_call' as const, text: call.name })),
            ];
          default:
            return [{ role: message.role, text: message.content }];
        }
      }),
    faults: {
      disconnect: () => emulator.dropConnections(),
      holdNextHandshake: () => emulator.holdNextHandshake(),
      muteNext: () => {
        emulator.faults.muteNext = 1;
      },
      sendGarbage: () => emulator.sendGarbage(),
      stallNextResponse: () => {
        emulator.faults.stallNext = 1;
      },
      cutNextResponse: () => {
        emulator.faults.cutNext = 1;
      },
      failNextResponse: () => {
        emulator.faults.rejectNext = 1;
      },
      expireSoon: () => {
        emulator.faults.goAwayAtOnceMs = 60_000;
      },
      expireNow: () => emulator.expire(),
    },
    close: () => emulator.close(),
  };
}

/** It answers by itself; what was said or heard cannot be removed from its context, only noted there. */
const CAPABILITIES = { answersUnasked: true, truncates: false, discards: false, changesTools: true };

describeRealtimeContract('gemini 3.8, mu-law', () => makeHarness('gemini-3.8-live', PCMU_8K), CAPABILITIES);
describeRealtimeContract(
  'gemini 2.5, PCM at 24 kHz',
  () => makeHarness('gemini-2.5-flash-native-audio-preview-12-2025', L16_24K),
  CAPABILITIES,
);
