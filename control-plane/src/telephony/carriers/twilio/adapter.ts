import { defineCarrier } from '../adapter.js';
import { twilioRoutes } from './routes.js';
import { TwilioCarrier } from './twilio-carrier.js';

export const twilioAdapter = defineCarrier({
  name: 'twilio',
  create: (account) => new TwilioCarrier({ name: 'twilio', account }),
  routes: (carrier, options) => twilioRoutes('twilio', carrier, options),
});

/** A server of our own that speaks Twilio's API. */
export const simulatedAdapter = defineCarrier({
  name: 'simulated',
  create: (account) =>
    new TwilioCarrier({ name: 'simulated', account, captionsUrl: captionsUrl(account.apiUrl) }),
  routes: (carrier, options) => twilioRoutes('simulated', carrier, options),
});

/** `http://host:port` as `ws://host:port/captions`. */
function captionsUrl(apiUrl: string): string {
  return `${apiUrl.replace(/^http/, 'ws').replace(/\/+$/, '')}/captions`;
}
