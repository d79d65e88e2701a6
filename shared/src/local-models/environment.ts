import { optionalText } from '../environment/parsers.js';
import type { LocalModelSettings } from './local-models.js';

/** Environment variables that say where local models are and which of them are used (`npm run models`). */
export const localModelVariables = {
  /** Where models are kept; default: a cache of the user, shared by all clones. */
  MODELS_DIR: optionalText,
  /** Base of the default (XDG Base Directory Specification). */
  XDG_CACHE_HOME: optionalText,
  /** A directory, the name of one in MODELS_DIR, or `off`. */
  LOCAL_STT_MODEL: optionalText,
  LOCAL_TTS_MODEL: optionalText,
  /** The same for the model that judges whether a caller has finished; used by agents that switch it on. */
  LOCAL_TURN_MODEL: optionalText,
  /** A directory in which local voices keep what they said. */
  LOCAL_TTS_CACHE: optionalText,
};

/** Returns the settings that parsed variables hold. */
export const localModelSettings = (
  vars: Readonly<Partial<Record<keyof typeof localModelVariables, string | undefined>>>,
): LocalModelSettings => ({
  modelsDir: vars.MODELS_DIR,
  cacheHome: vars.XDG_CACHE_HOME,
  speechToText: vars.LOCAL_STT_MODEL,
  textToSpeech: vars.LOCAL_TTS_MODEL,
  endOfTurn: vars.LOCAL_TURN_MODEL,
  spokenTexts: vars.LOCAL_TTS_CACHE,
});
