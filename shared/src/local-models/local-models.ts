import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';

/** Moonshine as ONNX Runtime loads it: paths of its files. */
export interface MoonshineFiles {
  /** Name of the model's directory, such as `moonshine-tiny-en`. */
  readonly name: string;
  readonly encoder: string;
  /** The decoder with and without cache in one file. */
  readonly decoder: string;
  /** `tokenizer.bin` (Moonshine's own) or `tokens.txt` (sherpa-onnx's: base64 of the bytes, a space, the id). */
  readonly tokens: string;
  /** ISO 639-1, from the directory's name; undefined where the name does not say. */
  readonly language: string | undefined;
}

/** A Piper voice: paths of its files. */
export interface PiperFiles {
  /** Name of the voice, such as `en_US-joe-medium`. */
  readonly name: string;
  readonly model: string;
  /** The `.onnx.json` beside it. */
  readonly config: string;
}

/** A Smart Turn model (version 3), which judges whether a caller has finished: path of its file. */
export interface SmartTurnFiles {
  /** Name of the model's directory, such as `smart-turn-v3.2`. */
  readonly name: string;
  readonly model: string;
}

/** The models that this machine has for `stt: local`, `tts: local` and the semantic end of turn. */
export interface LocalModels {
  readonly speechToText: MoonshineFiles | undefined;
  readonly textToSpeech: PiperFiles | undefined;
  readonly endOfTurn: SmartTurnFiles | undefined;
  /** Where local voices keep what they said; without it in memory alone. */
  readonly spokenTexts?: string | undefined;
}

/** What the environment says about models; each process reads it in its `config.ts`. */
export interface LocalModelSettings {
  /** `MODELS_DIR` */
  readonly modelsDir?: string | undefined;
  /** `XDG_CACHE_HOME` */
  readonly cacheHome?: string | undefined;
  /** `LOCAL_STT_MODEL`: a directory, the name of one in `MODELS_DIR`, or `off`. */
  readonly speechToText?: string | undefined;
  /** `LOCAL_TTS_MODEL`: the same for a voice. */
  readonly textToSpeech?: string | undefined;
  /** `LOCAL_TURN_MODEL`: the same for a model of the end of turn. */
  readonly endOfTurn?: string | undefined;
  /** `LOCAL_TTS_CACHE` */
  readonly spokenTexts?: string | undefined;
}

/** Names of the models that `npm run models` brings: taken first where there are several. */
export const DEFAULT_STT_MODEL = 'moonshine-tiny-en';
export const DEFAULT_TTS_MODEL = 'en_US-joe-medium';
export const DEFAULT_TURN_MODEL = 'smart-turn-v3.2';

export const NO_LOCAL_MODELS: LocalModels = {
  speechToText: undefined,
  textToSpeech: undefined,
  endOfTurn: undefined,
};

/** Returns the directory that models are kept in: a cache that all clones of a user share. */
export function modelsDirectory({ modelsDir, cacheHome }: LocalModelSettings): string {
  if (modelsDir) return resolve(modelsDir);
  return join(cacheHome || join(homedir(), '.cache'), 'voice-agent-platform', 'models');
}

/**
 * Looks which models are installed; reads directories only, loads nothing.
 * @throws Error that names the variable when a model was asked for that is not there
 */
export function findLocalModels(settings: LocalModelSettings): LocalModels {
  const dir = modelsDirectory(settings);
  return {
    speechToText: find({
      variable: 'LOCAL_STT_MODEL',
      wanted: settings.speechToText,
      dir,
      first: DEFAULT_STT_MODEL,
      read: moonshineIn,
      needs:
        'a Moonshine encoder (encoder*.ort or .onnx), merged decoder (*decoder*merged*.ort or .onnx), and tokenizer.bin or tokens.txt',
    }),
    textToSpeech: find({
      variable: 'LOCAL_TTS_MODEL',
      wanted: settings.textToSpeech,
      dir,
      first: DEFAULT_TTS_MODEL,
      read: piperIn,
      needs: 'a Piper voice (NAME.onnx and NAME.onnx.json)',
    }),
    endOfTurn: find({
      variable: 'LOCAL_TURN_MODEL',
      wanted: settings.endOfTurn,
      dir,
      first: DEFAULT_TURN_MODEL,
      read: smartTurnIn,
      needs: 'a Smart Turn model (smart-turn*.onnx)',
    }),
    spokenTexts: settings.spokenTexts,
  };
}

interface Search<Files> {
  readonly variable: string;
  readonly wanted: string | undefined;
  readonly dir: string;
  readonly first: string;
  readonly needs: string;
  read(dir: string): Files | undefined;
}

function find<Files>({ variable, wanted, dir, first, read, needs }: Search<Files>): Files | undefined {
  if (wanted === 'off') return undefined;
  if (wanted) {
    const place = isAbsolute(wanted) || wanted.includes('/') ? resolve(wanted) : join(dir, wanted);
    const files = read(place);
    if (files) return files;
    throw new Error(
      `${variable}: ${place} does not hold ${needs}. Name a directory that does, run “npm run models”, or set ${variable}=off.`,
    );
  }
  const names = entries(dir).sort((a, b) => Number(b === first) - Number(a === first) || a.localeCompare(b));
  for (const name of names) {
    const files = read(join(dir, name));
    if (files) return files;
  }
  return undefined;
}

function moonshineIn(dir: string): MoonshineFiles | undefined {
  const files = entries(dir);
  const models = files.filter((name) => /\.(?:ort|onnx)$/.test(name));
  const encoder = models.find((name) => /encoder/i.test(name) && !/decoder/i.test(name));
  const decoder = models.find((name) => /decoder.*merged|merged.*decoder/i.test(name));
  const tokens = ['tokenizer.bin', 'tokens.txt'].find((name) => files.includes(name));
  if (!encoder || !decoder || !tokens) return undefined;
  const name = basename(dir);
  return {
    name,
    encoder: join(dir, encoder),
    decoder: join(dir, decoder),
    tokens: join(dir, tokens),
    language: (/(?:tiny|base|small|medium)-([a-z]{2})\b/.exec(name) ?? /-([a-z]{2})$/.exec(name))?.[1],
  };
}

function piperIn(dir: string): PiperFiles | undefined {
  const files = entries(dir);
  const config = files.find((name) => name.endsWith('.onnx.json') && files.includes(name.slice(0, -5)));
  if (!config) return undefined;
  const model = config.slice(0, -5);
  return { name: model.slice(0, -5), model: join(dir, model), config: join(dir, config) };
}

function smartTurnIn(dir: string): SmartTurnFiles | undefined {
  const model = entries(dir).find((name) => /^smart-turn.*\.onnx$/.test(name));
  return model ? { name: basename(dir), model: join(dir, model) } : undefined;
}

/** Files of a directory; none where there is no directory. Hidden ones (unfinished downloads) do not count. */
function entries(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => !name.startsWith('.'))
      .sort();
  } catch {
    return [];
  }
}
