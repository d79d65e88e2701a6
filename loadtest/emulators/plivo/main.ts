import { numberOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { startPlivoEmulator } from './server.js';

await runProgram({
  name: 'Plivo',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    'auth-id': { help: 'the only account', default: 'MAEMULATOR' },
    'auth-token': { help: 'its token', default: 'plivo-token' },
    'app-id': { help: 'the id of its application', default: '1' },
  },
  start: (values) =>
    startPlivoEmulator({
      port: numberOption('port', values.port),
      authId: values['auth-id'],
      authToken: values['auth-token'],
      appId: values['app-id'],
    }),
});
