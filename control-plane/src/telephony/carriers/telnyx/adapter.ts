import { defineCarrier } from '../adapter.js';
import { TelnyxIntake } from './intake.js';
import { telnyxRoutes } from './routes.js';
import { TelnyxCarrier } from './telnyx-carrier.js';

export const telnyxAdapter = defineCarrier({
  name: 'telnyx',
  create: (account) => new TelnyxCarrier(account),
  routes: (carrier, options) => telnyxRoutes(new TelnyxIntake({ ...options, carrier }), options.publicUrl),
});
