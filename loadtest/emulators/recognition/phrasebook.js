import { z } from 'zod';
/** Bytes of a 20 ms mu-law frame at 8,000 Hz. */
export const FRAME_BYTES = 160;
export const FRAME_MS = 20;
const entry = z.object({
    voice: z.string(),
    text: z.string(),
    words: z.array(z.object({ text: z.string(), start_ms: z.number(), end_ms: z.number() })),
    /** Base64 of mu-law at 8,000 Hz. */
    audio: z.base64(),
});
/** Reads `GET /phrasebook` of the simulated carrier. */
export function parsePhrasebook(json) {
    return z
        .array(entry)
        .parse(json)
        .map(({ text, words, audio }) => ({
        text,
        words: words.map((word) => ({ text: word.text, startMs: word.start_ms, endMs: word.end_ms })),
        audio: new Uint8Array(Buffer.from(audio, 'base64')),
    }));
}
export async function loadPhrasebook(url) {
    const response = await fetch(url);
    if (!response.ok)
        throw new Error(`${url} answered ${response.status}`);
    return parsePhrasebook(await response.json());
}
//# sourceMappingURL=phrasebook.js.map