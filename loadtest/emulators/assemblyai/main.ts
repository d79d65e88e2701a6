import { SERVER_FLAGS, serverOptions } from '../serving/flags.js';
import { runProgram } from '../serving/program.js';
import {
  PHRASEBOOK_FLAG,
  phrasebookOption,
  recogniserDelayFlags,
  recogniserDelayOptions,
} from '../serving/recogniser-flags.js';
import { startAssemblyAiEmulator } from './server.js';

await runProgram({
  name: 'AssemblyAI',
  options: {
    ...SERVER_FLAGS,
    ...PHRASEBOOK_FLAG,
    ...recogniserDelayFlags({ help: 'from the end of a turn to its text', default: '150' }),
  },
  start: async (values) =>
    startAssemblyAiEmulator({
      ...serverOptions(values),
      ...(await phrasebookOption(values)),
      ...recogniserDelayOptions(values),
    }),
});
