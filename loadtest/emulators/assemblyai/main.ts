import { runProgram } from '../serving/program.js';
import { recogniserFlags, recogniserOptions } from '../serving/recogniser-flags.js';
import { startAssemblyAiEmulator } from './server.js';

await runProgram({
  name: 'AssemblyAI',
  options: recogniserFlags({ help: 'from the end of a turn to its text', default: '150' }),
  start: async (values) => startAssemblyAiEmulator(await recogniserOptions(values)),
});
