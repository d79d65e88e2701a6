import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { liveEvent } from './live-events.js';
import { listenFormat } from './live-streams.js';
import { testerClientMessage, testerServerMessage } from './tester-protocol.js';

const page = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)), 'utf8');

/** What the second word of a fence, ```json <word>, stands for. */
const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  event: liveEvent,
  format: listenFormat,
  server: testerServerMessage,
  client: testerClientMessage,
  // The control plane's own answers; its response checks hold it to them.
  session: z.strictObject({
    session_id: z.guid(),
    stream_url: z.url(),
    token: z.string(),
    expires_at: z.iso.datetime(),
  }),
  'live-link': z.strictObject({ live_url: z.url(), listen_url: z.url(), expires_at: z.iso.datetime() }),
};

interface Example {
  readonly kind: string;
  readonly text: string;
}

function examplesOf(text: string): Example[] {
  return [...text.matchAll(/^```json ?(.*)\n([\s\S]*?)^```$/gm)].flatMap(([, kind, block]) =>
    block!
      .trim()
      .split('\n')
      .map((line) => ({ kind: kind!, text: line })),
  );
}

const typesOf = (examples: readonly Example[]) =>
  new Set(examples.map(({ text }) => (JSON.parse(text) as { type?: string }).type));
const LIVE_TYPES = liveEvent.options.map(({ shape }) => shape.type.value);

describe.each(['live-streams.md', 'websocket-sessions.md'])('docs/%s', (name) => {
  const examples = examplesOf(page(name));

  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(8);
  });

  it.each(examples)('shows what is really sent: $text', ({ kind, text }) => {
    const schema = SCHEMAS[kind];
    if (!schema) throw new Error(`the fence \`\`\`json ${kind} names no schema`);
    const value: unknown = JSON.parse(text);
    // No field that the schema does not have, either.
    expect(schema.parse(value)).toEqual(value);
  });
});

describe('the pages', () => {
  it('show every event of a live stream', () => {
    expect(
      [...typesOf(examplesOf(page('live-streams.md')).filter(({ kind }) => kind === 'event'))].sort(),
    ).toEqual([...LIVE_TYPES].sort());
  });

  it('show every message of a WebSocket session, both ways', () => {
    const examples = examplesOf(page('websocket-sessions.md'));
    const server = typesOf(examples.filter(({ kind }) => kind === 'server'));
    const expected = [...LIVE_TYPES.filter((type) => type !== 'status'), 'started', 'mark', 'clear'];
    expect([...server].sort()).toEqual(expected.sort());
    const client = typesOf(examples.filter(({ kind }) => kind === 'client'));
    expect([...client].sort()).toEqual(
      testerClientMessage.options.map(({ shape }) => shape.type.value).sort(),
    );
  });
});
