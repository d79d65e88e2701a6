import { numberOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { startIntegrationsEmulator } from './server.js';

await runProgram({
  name: 'integrations',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    key: { help: 'the key that vendors without OAuth take', default: 'integrations-key' },
  },
  start: ({ port, key }) => startIntegrationsEmulator({ port: numberOption('port', port), key }),
});
