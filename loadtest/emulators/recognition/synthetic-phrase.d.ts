import { type AudioFormat } from '@voice/shared/audio/format';
import type { Phrase } from './phrasebook.js';
/**
 * Builds a phrase with made-up audio, unlike any other phrase's: 240 ms of noise a word and 60 ms of silence
 * between words. For tests that need no real speech.
 */
export declare function syntheticPhrase(text: string): Phrase;
/** Cuts audio as a carrier does: frames of 20 ms, the last one filled with silence. */
export declare function framesOf(audio: Uint8Array, format?: AudioFormat): Uint8Array[];
export declare function silentFrames(ms: number): Uint8Array[];
