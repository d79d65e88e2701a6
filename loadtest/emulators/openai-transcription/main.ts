import { runProgram } from '../serving/program.js';
import { recogniserFlags, recogniserOptions } from '../serving/recogniser-flags.js';
import { startOpenAiTranscriptionEmulator } from './server.js';

await runProgram({
  name: 'OpenAI transcription',
  options: recogniserFlags({ help: 'from the end of speech to its text', default: '200' }),
  start: async (values) => startOpenAiTranscriptionEmulator(await recogniserOptions(values)),
});
