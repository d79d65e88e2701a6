import { fileURLToPath } from 'node:url';
import { type LocalVoice, startLocalVoice } from '../local-voice.js';

/** Where tests keep what simulated people and agents say: most say the same in every run. */
export const SPOKEN_TEXTS = fileURLToPath(new URL('../../../../.setup/spoken-texts', import.meta.url));

/** Starts a voice that speaks a text once, for tests that want speech and not the making of it. */
export const startKeptVoice = (): LocalVoice => startLocalVoice({ keepIn: SPOKEN_TEXTS });
