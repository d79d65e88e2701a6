import type { Config } from '../../config.js';
import { apiError } from '../../platform/http/error-codes.js';
import type { Carrier, CarrierName } from './port.js';
import { TelnyxCarrier } from './telnyx/telnyx-carrier.js';
import { TwilioCarrier } from './twilio/twilio-carrier.js';

/** The carriers that this installation can dial with. */
export class Carriers {
  readonly #byName: ReadonlyMap<string, Carrier>;

  constructor(carriers: readonly Carrier[]) {
    this.#byName = new Map(carriers.map((carrier) => [carrier.name, carrier]));
  }

  /** Undefined also for what is no carrier, such as a tester's own connection. */
  find(name: string): Carrier | undefined {
    return this.#byName.get(name);
  }

  /** Throws 502 `carrier_error` when the carrier is not configured. */
  require(name: CarrierName): Carrier {
    const carrier = this.#byName.get(name);
    if (!carrier) throw apiError('carrier_error', `The carrier "${name}" is not configured here.`);
    return carrier;
  }

  /** A carrier that speaks Twilio's API. */
  requireTwilio(name: 'twilio' | 'simulated'): TwilioCarrier {
    const carrier = this.require(name);
    if (!(carrier instanceof TwilioCarrier)) throw apiError('carrier_error');
    return carrier;
  }

  requireTelnyx(): TelnyxCarrier {
    const carrier = this.require('telnyx');
    if (!(carrier instanceof TelnyxCarrier)) throw apiError('carrier_error');
    return carrier;
  }
}

/** `http://host:port` as `ws://host:port/captions`. */
function captionsUrl(apiUrl: string): string {
  return `${apiUrl.replace(/^http/, 'ws').replace(/\/+$/, '')}/captions`;
}

export function configuredCarriers(config: Config['carriers']): Carriers {
  const carriers: Carrier[] = [];
  if (config.twilio) carriers.push(new TwilioCarrier({ name: 'twilio', account: config.twilio }));
  if (config.telnyx) carriers.push(new TelnyxCarrier(config.telnyx));
  if (config.simulated?.apiUrl) {
    carriers.push(
      new TwilioCarrier({
        name: 'simulated',
        account: config.simulated,
        captionsUrl: captionsUrl(config.simulated.apiUrl),
      }),
    );
  }
  return new Carriers(carriers);
}
