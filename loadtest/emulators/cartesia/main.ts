import { SERVER_FLAGS, serverOptions, speechPaceFlags, speechPaceOptions } from '../serving/flags.js';
import { runProgram } from '../serving/program.js';
import { startCartesiaEmulator } from './server.js';

await runProgram({
  name: 'Cartesia',
  options: { ...SERVER_FLAGS, ...speechPaceFlags(90, 100) },
  start: (values) => startCartesiaEmulator({ ...serverOptions(values), ...speechPaceOptions(values) }),
});
