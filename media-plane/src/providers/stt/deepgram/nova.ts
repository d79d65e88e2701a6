import type { Deepgram } from '@deepgram/sdk';
import { novaParams } from '@voice/shared/catalogue/params/deepgram';
import { z } from 'zod';
import type { SttOptions } from '../port.js';
import type { DialectOutput } from '../socket-session/dialect.js';
import type { DeepgramDialect } from './dialect.js';
import { deepgramEncoding } from './encoding.js';
import { deepgramLanguage } from './language.js';

/**
 * How sure we are that a turn is over. `speech_final` is only silence of the endpointing length;
 * `UtteranceEnd` is a gap between words of at least a second.
 */
const SPEECH_FINAL_CONFIDENCE = 0.5;
const UTTERANCE_END_CONFIDENCE = 0.8;

/** Of Deepgram's, where an agent names none. */
export const DEFAULT_MODEL = 'nova-3';

const results = z.object({
  type: z.literal('Results'),
  start: z.number(),
  duration: z.number(),
  is_final: z.boolean().default(false),
  speech_final: z.boolean().default(false),
  from_finalize: z.boolean().default(false),
  channel: z.object({
    alternatives: z.array(
      z.object({
        transcript: z.string(),
        confidence: z.number(),
        words: z.array(z.object({ start: z.number(), end: z.number() })).default([]),
      }),
    ),
  }),
});

const message = z.discriminatedUnion('type', [
  results,
  z.object({ type: z.literal('SpeechStarted'), timestamp: z.number() }),
  z.object({ type: z.literal('UtteranceEnd'), last_word_end: z.number() }),
  z.object({ type: z.literal('Metadata') }),
  z.object({
    type: z.literal('Error'),
    description: z.string().default(''),
    variant: z.string().default(''),
  }),
]);

/** The compiler's proof that what the vendor's SDK declares is what we read. */
type VendorMessage =
  | Deepgram.listen.ListenV1Results
  | Deepgram.listen.ListenV1Metadata
  | Deepgram.listen.ListenV1UtteranceEnd
  | Deepgram.listen.ListenV1SpeechStarted;
type NovaAgreesWithSdk = VendorMessage extends z.input<typeof message> ? true : never;
const agrees: NovaAgreesWithSdk = true;

function query(options: SttOptions): URLSearchParams {
  const params = novaParams.parse(options.choice.params);
  const search = new URLSearchParams({
    model: options.choice.model === '' ? DEFAULT_MODEL : options.choice.model,
    language: deepgramLanguage(options.language, options.choice.model),
    ...deepgramEncoding(options.format),
    channels: '1',
    interim_results: 'true',
    endpointing: String(params.endpointing ?? options.endpointingMs),
    utterance_end_ms: String(params.utterance_end_ms),
    vad_events: 'true',
    smart_format: String(params.smart_format),
    punctuate: 'true',
  });
  if (params.numerals !== undefined) search.set('numerals', String(params.numerals));
  if (params.profanity_filter !== undefined) search.set('profanity_filter', String(params.profanity_filter));
  if (params.mip_opt_out !== undefined) search.set('mip_opt_out', String(params.mip_opt_out));
  for (const keyterm of options.keyterms ?? []) search.append('keyterm', keyterm);
  return search;
}

function decodeResults(result: z.infer<typeof results>): DialectOutput[] {
  const output: DialectOutput[] = [];
  const best = result.channel.alternatives[0];
  const endMs = (result.start + result.duration) * 1000;
  if (best && best.transcript !== '') {
    output.push({
      type: 'transcript',
      text: best.transcript,
      final: result.is_final,
      confidence: clamp(best.confidence),
      startMs: (best.words[0]?.start ?? result.start) * 1000,
      endMs: (best.words.at(-1)?.end ?? result.start + result.duration) * 1000,
    });
  }
  if (result.is_final) output.push({ type: 'settled', beforeMs: endMs, fromFinalize: result.from_finalize });
  if (result.speech_final && best && best.transcript !== '') {
    output.push({ type: 'end_of_turn', decided: false, confidence: SPEECH_FINAL_CONFIDENCE });
  }
  return output;
}

function decode(raw: unknown): readonly DialectOutput[] {
  const parsed = message.safeParse(raw);
  if (!parsed.success) return [];
  switch (parsed.data.type) {
    case 'Results':
      return decodeResults(parsed.data);
    case 'SpeechStarted':
      return [{ type: 'speech_started', atMs: parsed.data.timestamp * 1000 }];
    case 'UtteranceEnd':
      return [{ type: 'end_of_turn', decided: false, confidence: UTTERANCE_END_CONFIDENCE }];
    case 'Metadata':
      return [];
    case 'Error':
      return [{ type: 'provider_error', code: parsed.data.variant, message: parsed.data.description }];
  }
}

export function clamp(confidence: number): number {
  return Math.min(1, Math.max(0, confidence));
}

const FINALIZE = JSON.stringify({ type: 'Finalize' });

/** `/v1/listen`: Nova models, endpointing by silence (developers.deepgram.com, live streaming). */
export const nova: DeepgramDialect = {
  path: '/v1/listen',
  chunkMs: 120,
  // The vendor recommends messages of 20 to 250 ms.
  quietChunkMs: 240,
  query,
  keepAlive: agrees && JSON.stringify({ type: 'KeepAlive' }),
  finalize: () => FINALIZE,
  closeStream: JSON.stringify({ type: 'CloseStream' }),
  decode,
};
