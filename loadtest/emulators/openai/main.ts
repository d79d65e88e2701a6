import { SERVER_FLAGS, serverOptions, TOKEN_PACE_FLAGS, tokenPaceOptions } from '../serving/flags.js';
import { runProgram } from '../serving/program.js';
import { startOpenAiEmulator } from './server.js';

await runProgram({
  name: 'OpenAI',
  options: { ...SERVER_FLAGS, ...TOKEN_PACE_FLAGS },
  start: (values) => startOpenAiEmulator({ ...serverOptions(values), ...tokenPaceOptions(values) }),
});
