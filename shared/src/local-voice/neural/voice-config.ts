import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The part of a Piper voice's `.onnx.json` that is needed to speak. */
const voiceConfig = z.object({
  audio: z.object({ sample_rate: z.number().int().positive() }),
  espeak: z.object({ voice: z.string() }),
  inference: z.object({ length_scale: z.number().positive() }).loose(),
  phoneme_id_map: z.record(z.string(), z.array(z.number().int().nonnegative())),
  num_speakers: z.number().int().default(1),
  language: z.object({ code: z.string() }).loose().optional(),
});

export interface VoiceConfig {
  /** Hz */
  readonly sampleRate: number;
  /** espeak-ng's name of the pronunciation that the voice was trained on. */
  readonly espeakVoice: string;
  readonly lengthScale: number;
  readonly phonemeIds: ReadonlyMap<string, readonly number[]>;
  readonly speakers: number;
  /** Such as `en_US`. */
  readonly language: string;
}

/** Reads a voice's configuration; throws an error that names the file. */
export function readVoiceConfig(path: string): VoiceConfig {
  const parsed = voiceConfig.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success) throw new Error(`${path} is no Piper voice: ${z.prettifyError(parsed.error)}`);
  const { audio, espeak, inference, phoneme_id_map, num_speakers, language } = parsed.data;
  return {
    sampleRate: audio.sample_rate,
    espeakVoice: espeak.voice,
    lengthScale: inference.length_scale,
    phonemeIds: new Map(Object.entries(phoneme_id_map)),
    speakers: num_speakers,
    language: language?.code ?? espeak.voice,
  };
}
