import { parseOption } from '@voice/shared/environment/environment';
import { httpUrl } from '@voice/shared/environment/parsers';
import { numberOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { startStripeEmulator } from './server.js';

await runProgram({
  name: 'Stripe',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    'secret-key': { help: 'the only key that is accepted', default: 'sk_test_emulator' },
    meter: { help: 'event name of the meter', default: 'voice_agent_usage' },
    price: { help: 'id of a metered price; none when not given', default: '' },
    'webhook-url': { help: 'where events are sent; nowhere when not given', default: '' },
    'webhook-secret': { help: 'signs the events', default: 'whsec_emulator' },
  },
  start: async (values) => {
    const given = values['webhook-url'];
    const url = given === '' ? '' : parseOption('--webhook-url', httpUrl, given);
    return startStripeEmulator({
      port: numberOption('port', values.port),
      secretKey: values['secret-key'],
      meters: [values.meter],
      prices: values.price === '' ? [] : [values.price],
      ...(url === '' ? {} : { webhook: { url, secret: values['webhook-secret'] } }),
    });
  },
});
