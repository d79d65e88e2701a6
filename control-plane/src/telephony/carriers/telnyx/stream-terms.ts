import type { TelnyxCodec } from '@voice/shared/catalogue/carriers';

const SAMPLE_RATES: Readonly<Record<TelnyxCodec, number>> = { PCMU: 8000, PCMA: 8000, L16: 16_000 };

/**
 * Returns the part of a dialing or answering command that makes the media stream two-way (without the mode our audio
 * would be dropped) and chooses its codec, both ways (developers.telnyx.com, "Start streaming").
 */
export function streamTerms(codec: TelnyxCodec) {
  return {
    stream_track: 'inbound_track',
    stream_codec: codec,
    stream_bidirectional_mode: 'rtp',
    stream_bidirectional_codec: codec,
    stream_bidirectional_sampling_rate: SAMPLE_RATES[codec],
  } as const;
}

/** Returns what the stream's start shall show the worker of it: nothing of what it takes for granted. */
export function streamState(codec: TelnyxCodec): { readonly codec?: TelnyxCodec } {
  return codec === 'PCMU' ? {} : { codec };
}
