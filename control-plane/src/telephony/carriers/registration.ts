import { CARRIER_NAMES, type CarrierAccounts, type CarrierName } from '@voice/shared/catalogue/carriers';
import type { CarrierAdapter, InstalledCarrier } from './adapter.js';
import { plivoAdapter } from './plivo/adapter.js';
import { telnyxAdapter } from './telnyx/adapter.js';
import { simulatedAdapter, twilioAdapter } from './twilio/adapter.js';

/** The adapter of each carrier in the catalogue; a new one is one line here. */
const ADAPTERS: { readonly [Name in CarrierName]: CarrierAdapter<Name> } = {
  twilio: twilioAdapter,
  telnyx: telnyxAdapter,
  plivo: plivoAdapter,
  simulated: simulatedAdapter,
};

/** Lists all carriers, in the catalogue's order, with those connected of which there is an account. */
export function installedCarriers(accounts: CarrierAccounts): InstalledCarrier[] {
  const install = <Name extends CarrierName>(name: Name) => ADAPTERS[name].install(accounts[name]);
  return CARRIER_NAMES.map((name) => install(name));
}
