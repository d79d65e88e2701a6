import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PROVIDER_CATALOGUE, VENDOR_NAMES } from '@voice/shared/catalogue/providers';
import type { VendorAccounts } from '@voice/shared/catalogue/vendor-accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { chatChoiceOf, createLanguageModels } from './language-models.js';

/** Which model each request named; every one is refused. */
const asked: string[] = [];
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString('utf8');
  asked.push((JSON.parse(body) as { readonly model: string }).model);
  response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"refused here"}}');
});
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(() => {
  server.close();
});
beforeEach(() => {
  asked.length = 0;
});

/** An installation with an account at every vendor, all of them at the one server. */
function installation() {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const access = VENDOR_NAMES.map((vendor) => [vendor, { apiKey: 'key', url }] as const);
  const vendors = Object.fromEntries(access) as VendorAccounts;
  return createLanguageModels({ vendors, egressAllow: [] }, async () => vendors);
}

const choiceOf = (provider: string) => ({ provider, model: '', params: {} });
const { signal } = new AbortController();
const answered = (choice: ReturnType<typeof choiceOf>) =>
  installation().answer({ choice, system: '', user: '', schema: z.object({}), purpose: 'analysis' }, signal);
async function conversed(choice: ReturnType<typeof choiceOf>): Promise<void> {
  for await (const _ of installation().converse({ choice, messages: [], tools: [] }, signal));
}

const entries = (kind: 'llm' | 'realtime') => PROVIDER_CATALOGUE.filter((entry) => entry.kind === kind);
const overNetwork = entries('llm').filter(({ vendor }) => vendor !== null);
const keyless = entries('llm').filter(({ vendor }) => vendor === null);

describe('a language model of the catalogue', () => {
  it.each(overNetwork)('is asked here by its default model: $name', async ({ name, defaultModel }) => {
    await expect(answered(choiceOf(name))).rejects.toMatchObject({ code: 'language_model_failed' });
    await expect(conversed(choiceOf(name))).rejects.toMatchObject({ code: 'language_model_failed' });
    expect(asked).toEqual([defaultModel, defaultModel]);
  });

  it.each(keyless)('answers here without a network: $name', async ({ name }) => {
    await answered(choiceOf(name));
    await conversed(choiceOf(name));
    expect(asked).toEqual([]);
  });
});

it.each(entries('realtime'))('a text model stands behind speech to speech: $name', async ({ name }) => {
  const choice = { ...chatChoiceOf({ realtime: choiceOf(name) }), params: {} };
  await expect(answered(choice)).rejects.toMatchObject({ code: 'language_model_failed' });
  expect(asked).toHaveLength(1);
});

it('refuses a provider that is neither of the catalogue nor a server of the agent’s own', async () => {
  await expect(answered(choiceOf('constructor'))).rejects.toThrow(
    "There is no language model provider 'constructor' here.",
  );
  expect(asked).toEqual([]);
});
