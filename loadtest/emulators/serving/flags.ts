import { numberOption, positiveOption } from './options.js';

/** What `runProgram` gives for some flags. */
export type Values<Flags> = Readonly<Record<keyof Flags, string>>;

/** Flags of every vendor with keys. */
export const SERVER_FLAGS = {
  port: { help: 'port on loopback; 0 takes a free one', default: '0' },
  'api-key': { help: 'the only key that is accepted; any when not given', default: '' },
};

export function serverOptions(values: Values<typeof SERVER_FLAGS>) {
  return {
    port: numberOption('port', values.port),
    ...(values['api-key'] === '' ? {} : { apiKeys: [values['api-key']] }),
  };
}

/** Flags of a language model. */
export const TOKEN_PACE_FLAGS = {
  'first-token-delay-ms': { help: 'from the whole request to the first token', default: '150' },
  'token-delay-ms': { help: 'between tokens', default: '15' },
};

export function tokenPaceOptions(values: Values<typeof TOKEN_PACE_FLAGS>) {
  return {
    firstTokenDelayMs: numberOption('first-token-delay-ms', values['first-token-delay-ms']),
    tokenDelayMs: numberOption('token-delay-ms', values['token-delay-ms']),
  };
}

/** Flags of a voice, with its own defaults in ms. */
export function speechPaceFlags(firstAudioDelayMs: number, chunkMs: number) {
  return {
    'first-audio-delay-ms': { help: 'from text to its first audio', default: String(firstAudioDelayMs) },
    speed: { help: 'how much faster than it is spoken the rest of the audio comes', default: '10' },
    'chunk-ms': { help: 'audio in one message or piece of a body', default: String(chunkMs) },
  };
}

export function speechPaceOptions(values: Values<ReturnType<typeof speechPaceFlags>>) {
  return {
    firstAudioDelayMs: numberOption('first-audio-delay-ms', values['first-audio-delay-ms']),
    speed: positiveOption('speed', values.speed),
    chunkMs: positiveOption('chunk-ms', values['chunk-ms']),
  };
}
