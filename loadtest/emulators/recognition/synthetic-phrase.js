import { frameBytes, PCMU_8K, silenceByte } from '@voice/shared/audio/format';
const BYTES_PER_MS = 8;
const WORD_MS = 240;
const GAP_MS = 60;
/**
 * Builds a phrase with made-up audio, unlike any other phrase's: 240 ms of noise a word and 60 ms of silence
 * between words. For tests that need no real speech.
 */
export function syntheticPhrase(text) {
    const words = text.split(' ').map((word, index) => {
        const startMs = index * (WORD_MS + GAP_MS);
        return { text: word, startMs, endMs: startMs + WORD_MS };
    });
    const audio = new Uint8Array(words.at(-1).endMs * BYTES_PER_MS).fill(0xff);
    for (const [index, word] of words.entries()) {
        const noise = noiseOf(`${text} ${index} ${word.text}`);
        for (let at = word.startMs * BYTES_PER_MS; at < word.endMs * BYTES_PER_MS; at++)
            audio[at] = noise();
    }
    return { text, words, audio };
}
/** Generates bytes that are the same for the same seed (xorshift32). */
function noiseOf(seed) {
    let state = 2166136261;
    for (const char of seed)
        state = Math.imul(state ^ char.codePointAt(0), 16777619);
    return () => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        // Loud mu-law codes of both signs, never the code for silence.
        return (state & 0x80) | (state & 0x3f);
    };
}
/** Cuts audio as a carrier does: frames of 20 ms, the last one filled with silence. */
export function framesOf(audio, format = PCMU_8K) {
    const bytes = frameBytes(format);
    const frames = [];
    for (let offset = 0; offset < audio.length; offset += bytes) {
        const frame = new Uint8Array(bytes).fill(silenceByte(format));
        frame.set(audio.subarray(offset, offset + bytes));
        frames.push(frame);
    }
    return frames;
}
export function silentFrames(ms) {
    return Array.from({ length: Math.ceil(ms / 20) }, () => new Uint8Array(160).fill(0xff));
}
//# sourceMappingURL=synthetic-phrase.js.map