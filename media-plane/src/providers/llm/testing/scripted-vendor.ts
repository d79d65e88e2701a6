import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { ScriptRule } from '../../../../../loadtest/emulators/openai/script.js';
import type { AnswerCounters } from '../../../../../loadtest/emulators/serving/answering.js';
import type { TokenStreamFaults } from '../../../../../loadtest/emulators/serving/token-stream.js';
import type { LanguageModel } from '../port.js';
import type { LanguageModelHarness } from './contract.js';

const ANSWER = 'We are open from nine to five, Monday to Friday.';
const ARGUMENTS = { day: 'Tuesday', hour: 15, note: 'a "quoted" note' };

const SCRIPT: readonly ScriptRule[] = [
  { whenUserSays: /open/, say: ANSWER },
  { whenUserSays: /book/, say: 'One moment.', toolCalls: [{ name: 'book', arguments: ARGUMENTS }] },
  { afterTool: 'book', say: 'It is booked.' },
];

/** How an emulator is started that `createVendorHarness` takes. */
export const SCRIPTED_VENDOR = { apiKeys: ['good'], firstTokenDelayMs: 5, tokenDelayMs: 1, script: SCRIPT };

interface ScriptedVendor {
  readonly model: LanguageModel & { close(): Promise<void> };
  readonly choice: ProviderChoice;
  readonly baseUrl: string;
  readonly emulator: {
    readonly counters: Readonly<AnswerCounters>;
    readonly faults: TokenStreamFaults & { failNext: number; failStatus: number };
    close(): Promise<void>;
  };
}

/** Lets the contract test an adapter against its emulated vendor, started with `SCRIPTED_VENDOR`. */
export function createVendorHarness(vendor: ScriptedVendor): LanguageModelHarness {
  const { model, choice, baseUrl, emulator } = vendor;
  return {
    model,
    choice,
    credentials: { api_key: 'good', base_url: baseUrl },
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
      arguments: ARGUMENTS,
    },
    activeAnswers: () => emulator.counters.active,
    openConnections: () => emulator.counters.open,
    faults: {
      badCredentials: { api_key: 'bad', base_url: baseUrl },
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
