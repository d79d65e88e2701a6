import { IncomingAudio, type IncomingAudioOptions } from './incoming-audio.js';
import { OutgoingAudio, type OutgoingAudioOptions } from './outgoing-audio.js';

/** Both halves of a call's audio between RTP packets of Opus and frames of L16, for the line to make. */
export const opusAudioPath = {
  createIncoming: (options: IncomingAudioOptions) => new IncomingAudio(options),
  createOutgoing: (options: OutgoingAudioOptions) => new OutgoingAudio(options),
};
