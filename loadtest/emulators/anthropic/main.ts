import { numberOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { startAnthropicEmulator } from './server.js';

await runProgram({
  name: 'Anthropic',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    'api-key': { help: 'the only key that is accepted; any when not given', default: '' },
    'first-token-delay-ms': { help: 'from the whole request to the first token', default: '150' },
    'token-delay-ms': { help: 'between tokens', default: '15' },
  },
  start: (values) =>
    startAnthropicEmulator({
      port: numberOption('port', values.port),
      ...(values['api-key'] === '' ? {} : { apiKeys: [values['api-key']] }),
      firstTokenDelayMs: numberOption('first-token-delay-ms', values['first-token-delay-ms']),
      tokenDelayMs: numberOption('token-delay-ms', values['token-delay-ms']),
    }),
});
