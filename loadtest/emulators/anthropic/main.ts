import { SERVER_FLAGS, serverOptions, TOKEN_PACE_FLAGS, tokenPaceOptions } from '../serving/flags.js';
import { runProgram } from '../serving/program.js';
import { startAnthropicEmulator } from './server.js';

await runProgram({
  name: 'Anthropic',
  options: { ...SERVER_FLAGS, ...TOKEN_PACE_FLAGS },
  start: (values) => startAnthropicEmulator({ ...serverOptions(values), ...tokenPaceOptions(values) }),
});
