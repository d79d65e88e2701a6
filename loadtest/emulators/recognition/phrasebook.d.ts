/** Bytes of a 20 ms mu-law frame at 8,000 Hz. */
export declare const FRAME_BYTES = 160;
export declare const FRAME_MS = 20;
export interface PhraseWord {
    readonly text: string;
    readonly startMs: number;
    readonly endMs: number;
}
/** Something that can be recognised: its exact audio and when each word is said. */
export interface Phrase {
    readonly text: string;
    readonly words: readonly PhraseWord[];
    /** Mu-law at 8,000 Hz. */
    readonly audio: Uint8Array;
}
/** Reads `GET /phrasebook` of the simulated carrier. */
export declare function parsePhrasebook(json: unknown): Phrase[];
export declare function loadPhrasebook(url: string): Promise<Phrase[]>;
