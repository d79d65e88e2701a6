import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { startAnthropicEmulator } from '../../../../../loadtest/emulators/anthropic/server.js';
import { type Certificate, selfSigned } from '../../../../../loadtest/emulators/serving/self-signed.js';
import { describeLanguageModelContract, type LanguageModelHarness } from '../testing/contract.js';
import { createAnthropicLanguageModel } from './anthropic.js';

const ANSWER = 'We are open from nine to five, Monday to Friday.';

async function makeHarness(tls?: Certificate): Promise<LanguageModelHarness> {
  const emulator = await startAnthropicEmulator({
    ...(tls ? { tls } : {}),
    apiKeys: ['good'],
    firstTokenDelayMs: 5,
    tokenDelayMs: 1,
    script: [
      { whenUserSays: /open/, say: ANSWER },
      {
        whenUserSays: /book/,
        say: 'One moment.',
        toolCalls: [{ name: 'book', arguments: { day: 'Tuesday', hour: 15, note: 'a "quoted" note' } }],
      },
      { afterTool: 'book', say: 'It is booked.' },
    ],
  });
  const model = createAnthropicLanguageModel({ egress: createAddressPolicy(['127.0.0.0/8']), ca: tls?.cert });
  return {
    model,
    choice: { provider: 'anthropic', model: '', params: {} },
    credentials: { api_key: 'good', base_url: emulator.url },
    talk: {
      messages: [
        { role: 'system', content: 'You are a receptionist.' },
        { role: 'user', content: 'When are you open?' },
      ],
      answer: ANSWER,
    },
    call: {
      messages: [{ role: 'user', content: 'Please book it.' }],
      tools: [
        {
          name: 'book',
          description: 'Books an appointment.',
          parameters: { type: 'object', properties: { day: { type: 'string' } } },
        },
      ],
      name: 'book',
      arguments: { day: 'Tuesday', hour: 15, note: 'a "quoted" note' },
    },
    activeAnswers: () => emulator.counters.active,
    openConnections: () => emulator.counters.open,
    faults: {
      badCredentials: { api_key: 'bad', base_url: emulator.url },
      failNext: (status) => Object.assign(emulator.faults, { failNext: 1, failStatus: status }),
      cutNext: () => Object.assign(emulator.faults, { cutNext: 1 }),
      errorNext: () => Object.assign(emulator.faults, { streamErrorNext: 1 }),
      stallNext: () => Object.assign(emulator.faults, { stallNext: 1 }),
    },
    async close() {
      await model.close();
      await emulator.close();
    },
  };
}

const certificate = selfSigned();

describeLanguageModelContract('anthropic', () => makeHarness());
describeLanguageModelContract('anthropic over HTTP/2', () => makeHarness(certificate));
