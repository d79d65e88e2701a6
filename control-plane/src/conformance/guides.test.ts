import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentCreate } from '../agents/schemas.js';
import { GUIDES } from '../platform/docs/guides.js';
import { ERROR_CODES } from '../platform/http/error-codes.js';
import { validationErrorResponse } from '../platform/http/openapi/error-responses.js';
import { EVENT_TYPES } from '../webhooks/events/event-types.js';
import { deliveryMessage, parseResult, readyMessage } from '../webhooks/listeners/listener-messages.js';

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../docs/${name}.md`, import.meta.url)), 'utf8');

interface Sample {
  readonly guide: string;
  readonly kind: string;
  readonly text: string;
}

const samples: readonly Sample[] = GUIDES.flatMap(({ name }) =>
  [...read(name).matchAll(/^```json ?(.*)\n([\s\S]*?)^```$/gm)].map(([, kind, text]) => ({
    guide: name,
    kind: kind!,
    text: text!,
  })),
);
const ofKind = (kind: string) => samples.filter((sample) => sample.kind === kind);

/** Part of an agent, without the braces around it, or a whole one. */
const agentOf = (text: string) =>
  JSON.parse(text.startsWith('{') ? text : `{${text}}`) as Record<string, unknown>;

describe.each(ofKind(''))('a sample of the guide $guide', ({ text }) => {
  it('is an agent that the API takes', () => {
    const agent = { name: 'Front desk', system_prompt: 'You are the front desk.', ...agentOf(text) };
    expect(agentCreate.safeParse(agent).error).toBeUndefined();
  });
});

it('docs/webhooks.md shows an event as it is sent', () => {
  const [sample] = ofKind('webhook');
  const event = z
    .strictObject({
      event_id: z.guid(),
      event_type: z.literal('call.hangup'),
      tenant_id: z.guid(),
      sandbox: z.boolean(),
      occurred_at: z.int(),
      data: EVENT_TYPES['call.hangup'].data,
    })
    .safeParse(JSON.parse(sample!.text));
  expect(event.error).toBeUndefined();
});

it('docs/webhooks.md shows the messages of a listener as they are sent and taken', () => {
  const [listener, results] = [ofKind('listener'), ofKind('listener-result')].map(([sample]) =>
    sample!.text.trim().split('\n'),
  );
  expect(readyMessage.safeParse(JSON.parse(listener![0]!)).error).toBeUndefined();
  expect(deliveryMessage.safeParse(JSON.parse(listener![1]!)).error).toBeUndefined();
  expect(results!.map((text) => parseResult(text)?.type)).toEqual(['result', 'result']);
});

it('docs/errors.md shows an error as it is answered, and names only codes that there are', () => {
  const [sample, ofFields] = ofKind('error');
  expect(validationErrorResponse.safeParse(JSON.parse(ofFields!.text)).error).toBeUndefined();
  const { code, detail } = JSON.parse(sample!.text) as { code: keyof typeof ERROR_CODES; detail: string };
  expect(ERROR_CODES[code].description).toBe(detail);
  const named = [...read('errors').matchAll(/\b(4\d\d|5\d\d) `([a-z_]+)`/g)];
  expect(named.length).toBeGreaterThan(2);
  for (const [, status, name] of named) expect(ERROR_CODES).toHaveProperty([name!, 'status'], Number(status));
});

it('every sample is of a kind that a test holds to what it stands for', () => {
  // The others by shared/src/contracts/documented-messages.test.ts.
  const elsewhere = ['event', 'format', 'live-link', 'server', 'client', 'session'];
  const known = new Set(['', 'webhook', 'listener', 'listener-result', 'error', ...elsewhere]);
  expect(samples.filter(({ kind }) => !known.has(kind))).toEqual([]);
});
