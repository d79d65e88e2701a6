import { SERVER_FLAGS, serverOptions, speechPaceFlags, speechPaceOptions } from '../serving/flags.js';
import { runProgram } from '../serving/program.js';
import { startOpenAiSpeechEmulator } from './server.js';

await runProgram({
  name: 'OpenAI speech',
  options: { ...SERVER_FLAGS, ...speechPaceFlags(300, 250) },
  start: (values) => startOpenAiSpeechEmulator({ ...serverOptions(values), ...speechPaceOptions(values) }),
});
