import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';

const zip = promisify(gzip);
const unzip = promisify(gunzip);

export const ARCHIVE_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const callLine = z.object({
  kind: z.literal('call'),
  /** JSON texts as the store has them; those that are sealed there are open here: the whole file is encrypted. */
  agent_snapshot: z.string().nullable(),
  handoffs: z.string().nullable(),
  analysis_settings: z.string().nullable(),
  variables: z.string().nullable(),
});
const archiveLine = z.discriminatedUnion('kind', [
  callLine,
  z.object({ kind: z.literal('transcript'), turns: z.unknown() }),
  z.object({ kind: z.literal('event'), event: z.unknown() }),
]);
type ArchiveLine = z.output<typeof archiveLine>;

/** What the archive holds of a call. Texts are JSON as the store had it. */
export interface ArchivedContent {
  readonly call: Omit<z.output<typeof callLine>, 'kind'>;
  readonly turns: string | null;
  /** By their numbers. */
  readonly events: readonly string[];
}

/** Returns the content as lines of JSON, compressed, encrypted by AES-256-GCM: nonce, text, tag. */
export async function sealArchive(key: Buffer, purpose: string, content: ArchivedContent): Promise<Buffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
  const text = await zip(
    linesOf(content)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when the file was changed, cut, or sealed under another key or for another purpose. */
export async function openArchive(key: Buffer, purpose: string, file: Buffer): Promise<ArchivedContent> {
  const lines = (await textOf(key, purpose, file)).trimEnd().split('\n');
  return contentOf(lines.map((line) => archiveLine.parse(JSON.parse(line))));
}

/** Returns the turns alone, without a look at the events, which are most of it. Throws as `openArchive` does. */
export async function openArchivedTurns(key: Buffer, purpose: string, file: Buffer): Promise<string | null> {
  const text = await textOf(key, purpose, file);
  // They stand after the call.
  const begin = text.indexOf('\n') + 1;
  const end = text.indexOf('\n', begin);
  if (begin === 0 || end < 0) return null;
  const line = archiveLine.parse(JSON.parse(text.slice(begin, end)));
  return line.kind === 'transcript' ? JSON.stringify(line.turns) : null;
}

async function textOf(key: Buffer, purpose: string, file: Buffer): Promise<string> {
  if (file.length < NONCE_BYTES + TAG_BYTES) throw new Error('not an archive');
  const decipher = createDecipheriv('aes-256-gcm', key, file.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(file.subarray(-TAG_BYTES));
  const zipped = Buffer.concat([decipher.update(file.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  return (await unzip(zipped)).toString();
}

function linesOf({ call, turns, events }: ArchivedContent): ArchiveLine[] {
  return [
    { kind: 'call', ...call },
    ...(turns === null ? [] : [{ kind: 'transcript' as const, turns: JSON.parse(turns) as unknown }]),
    ...events.map((body) => ({ kind: 'event' as const, event: JSON.parse(body) as unknown })),
  ];
}

function contentOf(lines: readonly ArchiveLine[]): ArchivedContent {
  const call = lines.find((line) => line.kind === 'call');
  if (!call) throw new Error('an archive without its call');
  const { kind: _, ...fields } = call;
  const transcript = lines.find((line) => line.kind === 'transcript');
  return {
    call: fields,
    turns: transcript ? JSON.stringify(transcript.turns) : null,
    events: lines.flatMap((line) => (line.kind === 'event' ? [JSON.stringify(line.event)] : [])),
  };
}
