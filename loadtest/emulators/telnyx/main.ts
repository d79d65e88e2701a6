import { numberOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { startTelnyxEmulator } from './server.js';

await runProgram({
  name: 'Telnyx',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    'api-key': { help: 'the only key that is accepted', default: 'telnyx-key' },
    'connection-id': { help: 'the id of the Call Control application', default: '1' },
    'webhook-url': { help: 'where its webhooks go', default: '' },
  },
  start: async (values) => {
    const emulator = await startTelnyxEmulator({
      port: numberOption('port', values.port),
      apiKey: values['api-key'],
      connectionId: values['connection-id'],
      ...(values['webhook-url'] === '' ? {} : { webhookUrl: values['webhook-url'] }),
    });
    process.stdout.write(`TELNYX_PUBLIC_KEY=${emulator.publicKey}\n`);
    return emulator;
  },
});
