import { numberOption, runProgram, UsageError } from '../serving/program.js';
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
  start: (values) => {
    const url = values['webhook-url'];
    if (url !== '' && !URL.canParse(url)) throw new UsageError(`--webhook-url must be a URL, not '${url}'`);
    return startStripeEmulator({
      port: numberOption('port', values.port),
      secretKey: values['secret-key'],
      meters: [values.meter],
      prices: values.price === '' ? [] : [values.price],
      ...(url === '' ? {} : { webhook: { url, secret: values['webhook-secret'] } }),
    });
  },
});
