import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnswerCounters } from '../../../../../loadtest/emulators/serving/answering.js';
import type { RunningEmulator } from '../../../../../loadtest/emulators/serving/http-server.js';
import type { LanguageModel, LlmEvent, LlmRequest } from '../port.js';

interface VendorCase {
  readonly provider: string;
  /** Starts the vendor, which takes the keys `platform` and `own`. */
  start(): Promise<
    RunningEmulator & { readonly counters: Readonly<AnswerCounters>; readonly baseUrl?: string }
  >;
  /** Creates the adapter, which may reach what `egress` allows. */
  create(egress: ReturnType<typeof createAddressPolicy>): LanguageModel & { close(): Promise<void> };
}

/** Asks a vendor where it is, with the platform's key. */
export function requestTo(
  { provider, baseUrl }: { readonly provider: string; readonly baseUrl: string },
  change: Partial<LlmRequest> = {},
  params: Record<string, unknown> = {},
): LlmRequest {
  return {
    choice: { provider, model: '', params },
    credentials: { api_key: 'platform', base_url: baseUrl },
    messages: [{ role: 'user', content: 'Where are you?' }],
    tools: [],
    ...change,
  };
}

/** Collects the events of a whole answer. */
export async function answerOf(model: LanguageModel, request: LlmRequest): Promise<LlmEvent[]> {
  const events: LlmEvent[] = [];
  for await (const event of model.generate(request, new AbortController().signal)) events.push(event);
  return events;
}

/** Tests how an adapter handles settings, keys, addresses and connections, by its vendor's emulator. */
export function describeVendorCases({ provider, start, create }: VendorCase): void {
  describe(`the adapter of ${provider}, as those of all vendors`, () => {
    let emulator: Awaited<ReturnType<typeof start>>;
    let model: ReturnType<typeof create>;
    let baseUrl: string;

    beforeEach(async () => {
      emulator = await start();
      baseUrl = emulator.baseUrl ?? emulator.url;
      model = create(createAddressPolicy(['127.0.0.0/8']));
    });
    afterEach(async () => {
      await model.close();
      await emulator.close();
    });

    const request = (change: Partial<LlmRequest> = {}, params: Record<string, unknown> = {}) =>
      requestTo({ provider, baseUrl }, change, params);

    it('refuses settings that the API does not have, before any request', async () => {
      await expect(answerOf(model, request({}, { temperature: 9 }))).rejects.toMatchObject({
        code: 'llm_bad_request',
        retryable: false,
        message: expect.stringContaining('temperature'),
      });
      expect(emulator.counters.requests).toBe(0);
    });

    it("never sends the platform's key to an address that an agent names", async () => {
      const elsewhere = { credentials: { api_key: 'platform' } };
      await expect(answerOf(model, request(elsewhere, { base_url: baseUrl }))).rejects.toMatchObject({
        code: 'llm_unauthorized',
      });
      const events = await answerOf(model, request(elsewhere, { base_url: baseUrl, api_key: 'own' }));
      expect(events.some((event) => event.type === 'text')).toBe(true);
    });

    it.each(['an address', 'a name'])(
      'does not follow an agent into a private network by %s',
      async (way) => {
        const host = way === 'a name' ? 'localhost' : '127.0.0.1';
        const guarded = create(createAddressPolicy([]));
        const asked = request({}, { base_url: `http://${host}:${emulator.port}/v2`, api_key: 'own' });
        const answers = guarded.generate(asked, new AbortController().signal)[Symbol.asyncIterator]();
        await expect(answers.next()).rejects.toMatchObject({ kind: 'llm' });
        expect(emulator.counters.connections).toBe(0);
        await guarded.close();
      },
    );

    it('speaks the next turn over the connection of the turn before', async () => {
      const newConnections = async () => {
        const before = emulator.counters.connections;
        await answerOf(model, request());
        return emulator.counters.connections - before;
      };
      expect(await newConnections()).toBe(1);
      // It is free once the end of the body has been read, a moment after the answer's end.
      await expect.poll(newConnections).toBe(0);
    });

    it('fails as unavailable when nobody listens at the address', async () => {
      await emulator.close();
      await expect(answerOf(model, request())).rejects.toMatchObject({
        code: 'llm_unavailable',
        retryable: true,
      });
    });
  });
}
