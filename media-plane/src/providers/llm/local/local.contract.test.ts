import { describeLanguageModelContract, type LanguageModelHarness } from '../testing/contract.js';
import { createLocalLanguageModel } from './local.js';

async function makeHarness(): Promise<LanguageModelHarness> {
  return {
    model: createLocalLanguageModel({ tokenDelayMs: 1 }),
    choice: { provider: 'local', model: '', params: {} },
    credentials: {},
    talk: {
      messages: [
        { role: 'system', content: 'We are open from nine to five.\n1. Ask: Which day suits you?' },
        { role: 'user', content: 'When are you open?' },
      ],
      answer: 'We are open from nine to five. Which day suits you?',
    },
    call: {
      messages: [{ role: 'user', content: 'Please book an appointment for Tuesday.' }],
      tools: [
        {
          name: 'book',
          description: 'Books an appointment.',
          parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
        },
      ],
      name: 'book',
      arguments: { day: 'Tuesday' },
    },
    activeAnswers: () => 0,
    close: async () => {},
  };
}

describeLanguageModelContract('local', makeHarness);
