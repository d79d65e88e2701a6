import type { Deepgram } from '@deepgram/sdk';
import { fluxParams } from '@voice/shared/catalogue/params/deepgram';
import { z } from 'zod';
import { primaryLanguage } from '../../language-code.js';
import type { SttOptions } from '../port.js';
import type { DialectOutput } from '../socket-session/dialect.js';
import type { DeepgramDialect } from './dialect.js';
import { deepgramEncoding } from './encoding.js';
import { clamp } from './nova.js';

const turnInfo = z.object({
  type: z.literal('TurnInfo'),
  event: z.string(),
  audio_window_start: z.number(),
  audio_window_end: z.number(),
  transcript: z.string(),
  words: z.array(
    z.object({ confidence: z.number(), start: z.number().optional(), end: z.number().optional() }),
  ),
  end_of_turn_confidence: z.number(),
});
type TurnInfo = z.infer<typeof turnInfo>;

const message = z.discriminatedUnion('type', [
  turnInfo,
  z.object({ type: z.literal('Connected') }),
  z.object({ type: z.literal('ConfigureSuccess') }),
  z.object({ type: z.literal('ConfigureFailure') }),
  z.object({ type: z.literal('Error'), code: z.string(), description: z.string() }),
]);

/** The compiler's proof that what the vendor's SDK declares is what we read. */
type VendorMessage =
  | Deepgram.listen.ListenV2TurnInfo
  | Deepgram.listen.ListenV2Connected
  | Deepgram.listen.ListenV2FatalError;
type FluxAgreesWithSdk = VendorMessage extends z.input<typeof message> ? true : never;
const agrees: FluxAgreesWithSdk = true;

function query(options: SttOptions): URLSearchParams {
  const params = fluxParams.parse(options.choice.params);
  const model = options.choice.model === 'flux' ? 'flux-general-en' : options.choice.model;
  const search = new URLSearchParams({
    model,
    ...deepgramEncoding(options.format),
    eot_threshold: String(params.eot_threshold),
    eot_timeout_ms: String(params.eot_timeout_ms),
  });
  if (params.eager_eot_threshold !== null) {
    search.set('eager_eot_threshold', String(Math.min(params.eager_eot_threshold, params.eot_threshold)));
  }
  if (params.mip_opt_out !== undefined) search.set('mip_opt_out', String(params.mip_opt_out));
  if (model === 'flux-general-multi') search.set('language_hint', primaryLanguage(options.language));
  for (const keyterm of options.keyterms ?? []) search.append('keyterm', keyterm);
  return search;
}

function transcript(turn: TurnInfo, final: boolean): DialectOutput[] {
  if (turn.transcript === '') return [];
  const words = turn.words;
  const confidence = words.reduce((sum, word) => sum + word.confidence, 0) / Math.max(1, words.length);
  return [
    {
      type: 'transcript',
      text: turn.transcript,
      final,
      confidence: clamp(confidence),
      startMs: (words[0]?.start ?? turn.audio_window_start) * 1000,
      endMs: (words.at(-1)?.end ?? turn.audio_window_end) * 1000,
    },
  ];
}

function decodeTurn(turn: TurnInfo): DialectOutput[] {
  const confidence = clamp(turn.end_of_turn_confidence);
  switch (turn.event) {
    case 'StartOfTurn': {
      const startMs = (turn.words[0]?.start ?? turn.audio_window_start) * 1000;
      return [{ type: 'speech_started', atMs: startMs }, ...transcript(turn, false)];
    }
    case 'Update':
      return transcript(turn, false);
    case 'EagerEndOfTurn':
      return [...transcript(turn, false), { type: 'eager_end_of_turn', confidence, text: turn.transcript }];
    case 'TurnResumed':
      return [{ type: 'turn_resumed' }, ...transcript(turn, false)];
    case 'EndOfTurn':
      return [
        ...transcript(turn, true),
        { type: 'settled', beforeMs: turn.audio_window_end * 1000, fromFinalize: false },
        // Flux has weighed its score against `eot_threshold` (or its time-out) already: it is over.
        { type: 'end_of_turn', decided: true, confidence: 1, text: turn.transcript },
      ];
    default:
      // Deepgram may add events; its clients must tolerate them.
      return [];
  }
}

function decode(raw: unknown): readonly DialectOutput[] {
  const parsed = message.safeParse(raw);
  if (!parsed.success) return [];
  switch (parsed.data.type) {
    case 'TurnInfo':
      return decodeTurn(parsed.data);
    case 'Connected':
    case 'ConfigureSuccess':
    case 'ConfigureFailure':
      return [];
    case 'Error':
      return [{ type: 'provider_error', code: parsed.data.code, message: parsed.data.description }];
  }
}

/**
 * `/v2/listen`: Flux models, whose own model of turns decides when one ends. `finalize` is not passed on:
 * forcing an end at our first silence (`ForceEndTurn`) would throw away what the model is chosen for.
 */
export const flux: DeepgramDialect = {
  path: '/v2/listen',
  chunkMs: 80,
  query,
  keepAlive: undefined,
  finalize: () => undefined,
  closeStream: agrees && JSON.stringify({ type: 'CloseStream' }),
  decode,
};
