import { SERVER_FLAGS, serverOptions } from '../serving/flags.js';
import { runProgram } from '../serving/program.js';
import {
  PHRASEBOOK_FLAG,
  phrasebookOption,
  recogniserDelayFlags,
  recogniserDelayOptions,
} from '../serving/recogniser-flags.js';
import { startOpenAiTranscriptionEmulator } from './server.js';

await runProgram({
  name: 'OpenAI transcription',
  options: {
    ...SERVER_FLAGS,
    ...PHRASEBOOK_FLAG,
    ...recogniserDelayFlags({ help: 'from the end of speech to its text', default: '200' }),
  },
  start: async (values) =>
    startOpenAiTranscriptionEmulator({
      ...serverOptions(values),
      ...(await phrasebookOption(values)),
      ...recogniserDelayOptions(values),
    }),
});
