import { carrierFrames } from './carrier-frames.js';
import { storeWire } from './store-wire.js';
import type { FuzzTarget } from './target.js';
import { contactFiles, sdpOffers, testerMessages, webhookBodies } from './texts.js';

/** What is fuzzed, by name; each is given a folder for its files. */
export const TARGETS: Readonly<Record<string, (dir: string) => Promise<FuzzTarget>>> = {
  twilio: () => carrierFrames('twilio'),
  telnyx: () => carrierFrames('telnyx'),
  plivo: () => carrierFrames('plivo'),
  tester: testerMessages,
  sdp: sdpOffers,
  webhooks: webhookBodies,
  csv: contactFiles,
  store: storeWire,
};
