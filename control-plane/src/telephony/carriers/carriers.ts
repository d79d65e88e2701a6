import type { CarrierEntry } from '@voice/shared/catalogue/carrier-entry';
import { CARRIERS, type CarrierAccounts, PRODUCTION_CARRIERS } from '@voice/shared/catalogue/carriers';
import { apiError } from '../../platform/http/error-codes.js';
import type { Route } from '../../platform/http/route.js';
import { type CallbackOptions, type InstalledCarrier, notConfigured } from './adapter.js';
import type { Carrier, CarrierName } from './port.js';
import { installedCarriers } from './registration.js';

/** The carriers that this installation can dial with. */
export class Carriers {
  readonly #installed: readonly InstalledCarrier[];
  readonly #byName: ReadonlyMap<string, Carrier>;

  constructor(installed: readonly InstalledCarrier[]) {
    this.#installed = installed;
    this.#byName = new Map(
      installed.flatMap(({ name, carrier }) => (carrier ? [[name, carrier] as const] : [])),
    );
  }

  /** Undefined also for what is no carrier, such as a tester's own connection. */
  find(name: string): Carrier | undefined {
    return this.#byName.get(name);
  }

  /** Throws 502 `carrier_error` when the carrier is not configured. */
  require(name: CarrierName): Carrier {
    const carrier = this.#byName.get(name);
    if (!carrier) throw notConfigured(name);
    return carrier;
  }

  /** The first of production that is configured, in the catalogue's order; the first there is where none is. */
  get first(): CarrierName {
    return PRODUCTION_CARRIERS.find((name) => this.#byName.has(name)) ?? PRODUCTION_CARRIERS[0]!;
  }

  /** Returns the first that sends codes to people, in the catalogue's order. Throws 502 `carrier_error` without one. */
  requireForCodes(channel: 'sms' | 'voice'): Carrier {
    const carrier = PRODUCTION_CARRIERS.filter((name) => sendsCodes(CARRIERS[name], channel))
      .map((name) => this.#byName.get(name))
      .find((one) => one !== undefined);
    if (!carrier) {
      throw apiError('carrier_error', `No carrier is configured here that sends codes by ${channel}.`);
    }
    return carrier;
  }

  /** Returns the routes of all carriers' callbacks, whether or not the carrier is configured. */
  routes(options: CallbackOptions): Route[] {
    return this.#installed.flatMap((carrier) => carrier.routes(options));
  }
}

function sendsCodes({ capabilities }: CarrierEntry, channel: 'sms' | 'voice'): boolean {
  return capabilities.codes.includes(channel);
}

export function configuredCarriers(accounts: CarrierAccounts): Carriers {
  return new Carriers(installedCarriers(accounts));
}
