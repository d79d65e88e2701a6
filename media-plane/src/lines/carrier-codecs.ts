import type { CarrierProtocol } from '@voice/shared/catalogue/carriers';
import type { Clock } from '@voice/shared/clock/clock';
import type { MediaStreamCodec } from './codec.js';
import { PlivoMediaStreamCodec } from './plivo/media-stream-codec.js';
import { TelnyxMediaStreamCodec } from './telnyx/media-stream-codec.js';
import { TwilioMediaStreamCodec } from './twilio/media-stream-codec.js';

/** Makes the codec of one connection. */
export type CreateCodec = (options: { readonly clock: Clock }) => MediaStreamCodec;

/** The codec of each protocol that the catalogue's carriers speak; a new one is one line here. */
export const CARRIER_CODECS: { readonly [Protocol in CarrierProtocol]: CreateCodec } = {
  twilio: () => new TwilioMediaStreamCodec(),
  plivo: () => new PlivoMediaStreamCodec(),
  telnyx: (options) => new TelnyxMediaStreamCodec(options),
};
