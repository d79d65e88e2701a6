/** U+2581 stands for the space before a word. */
const SPACE = /\u2581/g;

/** The bytes of each token. */
export type Vocabulary = readonly Uint8Array[];

/**
 * Reads `tokenizer.bin` of Moonshine: for each id a length (one byte; from 128 on two, the second times 128)
 * and the bytes.
 */
export function readTokenizerBin(file: Uint8Array): Vocabulary {
  const tokens: Uint8Array[] = [];
  for (let at = 0; at < file.length; ) {
    let length = file[at++]!;
    if (length >= 128) length = length - 128 + (file[at++] ?? 0) * 128;
    if (at + length > file.length) throw new Error('tokenizer.bin ends in the middle of a token');
    tokens.push(file.subarray(at, at + length));
    at += length;
  }
  return tokens;
}

/** Reads `tokens.txt` of sherpa-onnx: lines of a token's bytes in base64, a space and its id. */
export function readTokensTxt(text: string): Vocabulary {
  const tokens: Uint8Array[] = [];
  for (const line of text.split('\n')) {
    const fields = /^(\S*)\s+(\d+)\s*$/.exec(line);
    if (fields) tokens[Number(fields[2])] = Buffer.from(fields[1]!, 'base64');
    else if (line.trim() !== '') throw new Error(`tokens.txt: expected base64 and an id, got ${line}`);
  }
  return Array.from(tokens, (token) => token ?? new Uint8Array(0));
}

/** Returns the text of token ids; control tokens are not among them. */
export function textOf(vocabulary: Vocabulary, ids: readonly number[]): string {
  const bytes = Buffer.concat(ids.map((id) => vocabulary[id] ?? new Uint8Array(0)));
  return bytes.toString('utf8').replace(SPACE, ' ').trim();
}
