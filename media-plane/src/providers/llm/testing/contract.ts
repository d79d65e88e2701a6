import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import type { LlmMessage, LlmTool } from '@voice/shared/language-model/conversation';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LanguageModel, LlmEvent } from '../port.js';

/** A model with known answers, and the power to make things go wrong. */
export interface LanguageModelHarness {
  readonly model: LanguageModel;
  readonly choice: ProviderChoice;
  readonly credentials: ProviderCredentials;
  /** A conversation whose answer is text only, of several words. */
  readonly talk: { readonly messages: readonly LlmMessage[]; readonly answer: string };
  /** A conversation that makes it call one of the tools. */
  readonly call: {
    readonly messages: readonly LlmMessage[];
    readonly tools: readonly LlmTool[];
    readonly name: string;
    readonly arguments: unknown;
  };
  /** Connections that the provider holds now. Absent where there is none to hold. */
  openConnections?(): number;
  /** Answers that the provider is giving now. */
  activeAnswers(): number;
  /** Absent where there is no server that could fail. */
  readonly faults?: {
    readonly badCredentials: ProviderCredentials;
    /** Answers the next request with this HTTP status. */
    failNext(status: 429 | 500): void;
    /** Tears the next answer off after two words. */
    cutNext(): void;
    /** Sends an error within the next answer, after two words. */
    errorNext(): void;
    /** Leaves the next request without an answer. */
    stallNext(): void;
  };
  close(): Promise<void>;
}

const eventually = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 5 });

/** Tests what the pipeline relies on from every language model. */
export function describeLanguageModelContract(
  name: string,
  makeHarness: () => Promise<LanguageModelHarness>,
): void {
  describe(`language model: ${name}`, () => {
    let harness: LanguageModelHarness;
    let generate: (
      messages: readonly LlmMessage[],
      options?: { tools?: readonly LlmTool[]; credentials?: ProviderCredentials; signal?: AbortSignal },
    ) => AsyncIterable<LlmEvent>;

    beforeEach(async () => {
      harness = await makeHarness();
      generate = (messages, { tools = [], credentials = harness.credentials, signal } = {}) =>
        harness.model.generate(
          { choice: harness.choice, credentials, messages, tools },
          signal ?? new AbortController().signal,
        );
    });

    afterEach(() => harness.close());

    async function failureOf(events: AsyncIterable<LlmEvent>): Promise<{ error: unknown; text: string }> {
      let text = '';
      try {
        for await (const event of events) if (event.type === 'text') text += event.delta;
      } catch (error) {
        return { error, text };
      }
      return { error: undefined, text };
    }

    /** Collects an aborted answer, which ends by return or by the signal's reason. */
    async function collectUntilAbort(signal: AbortSignal): Promise<LlmEvent[]> {
      const events: LlmEvent[] = [];
      try {
        for await (const event of generate(harness.talk.messages, { signal })) events.push(event);
      } catch (error) {
        expect(error).toBe(signal.reason);
      }
      return events;
    }

    it('streams an answer in pieces that add up to it, and says what it used', async () => {
      const events = await collect(generate(harness.talk.messages));
      const pieces = events.filter((event) => event.type === 'text');
      expect(pieces.length).toBeGreaterThan(3);
      expect(textOf(events)).toBe(harness.talk.answer);
      const usage = events.filter((event) => event.type === 'usage');
      expect(usage).toHaveLength(1);
      expect(usage[0]!.inputTokens).toBeGreaterThan(0);
      expect(usage[0]!.outputTokens).toBeGreaterThan(0);
    });

    it('calls a tool whole, once, after its text', async () => {
      const events = await collect(generate(harness.call.messages, { tools: harness.call.tools }));
      const calls = events.filter((event) => event.type === 'tool_call');
      expect(calls).toHaveLength(1);
      expect(calls[0]!.call.name).toBe(harness.call.name);
      expect(JSON.parse(calls[0]!.call.arguments)).toEqual(harness.call.arguments);
      expect(calls[0]!.call.id).not.toBe('');
      const lastText = events.findLastIndex((event) => event.type === 'text');
      expect(events.findIndex((event) => event.type === 'tool_call')).toBeGreaterThan(lastText);
    });

    it('goes on after a tool result', async () => {
      const events = await collect(generate(harness.call.messages, { tools: harness.call.tools }));
      const calls = events.flatMap((event) => (event.type === 'tool_call' ? [event.call] : []));
      const conversation: LlmMessage[] = [
        ...harness.call.messages,
        { role: 'assistant', content: textOf(events), toolCalls: calls },
        { role: 'tool', toolCallId: calls[0]!.id, content: '{"ok":true}' },
      ];
      const { error } = await failureOf(generate(conversation, { tools: harness.call.tools }));
      expect(error).toBeUndefined();
    });

    it('starts nothing for a turn that was aborted before', async () => {
      const events = await collectUntilAbort(AbortSignal.abort());
      expect(events).toEqual([]);
      expect(harness.activeAnswers()).toBe(0);
    });

    it('stops in mid-answer on abort, emits nothing more and frees its connection', async () => {
      const turn = new AbortController();
      const events: LlmEvent[] = [];
      const reading = (async () => {
        for await (const event of generate(harness.talk.messages, { signal: turn.signal })) {
          events.push(event);
          if (events.length === 2) turn.abort();
        }
      })().catch((error: unknown) => expect(error).toBe(turn.signal.reason));
      await reading;
      expect(events.length).toBeLessThanOrEqual(3);
      await eventually(() => expect(harness.activeAnswers()).toBe(0));
    });

    it('frees its connection when the reader leaves', async () => {
      for await (const _event of generate(harness.talk.messages)) break;
      await eventually(() => expect(harness.activeAnswers()).toBe(0));
    });

    it('answers many calls at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () => textOf(await collect(generate(harness.talk.messages)))),
      );
      expect(new Set(answers)).toEqual(new Set([harness.talk.answer]));
      expect(harness.activeAnswers()).toBe(0);
    });

    it('opens its connection when it is prepared, answers over it, and closes it when it is released', async ({
      skip,
    }) => {
      const { model, openConnections, choice, credentials, talk } = harness;
      if (!openConnections) return skip('a local provider: there is no connection to open');
      const preparation = model.prepare!({ choice, credentials });
      await preparation.ready;
      expect(openConnections()).toBe(1);
      expect(harness.activeAnswers()).toBe(0);
      expect(textOf(await collect(generate(talk.messages)))).toBe(talk.answer);
      // Its own, which is kept for the next answer, and one that waits.
      await eventually(() => expect(openConnections()).toBe(2));
      preparation.release();
      preparation.release();
      await eventually(() => expect(openConnections()).toBe(1));
    });

    it('fails to be prepared where it would fail to answer', async ({ skip }) => {
      if (!harness.openConnections) return skip('a local provider: there is no connection to open');
      const preparation = harness.model.prepare!({ choice: harness.choice, credentials: {} });
      await expect(preparation.ready).rejects.toMatchObject({ code: 'llm_unauthorized', retryable: false });
      preparation.release();
      expect(harness.openConnections()).toBe(0);
    });

    it('fails for good with a key that the provider refuses', async ({ skip }) => {
      if (!harness.faults) return skip('a local provider: there is no server behind it that could fail');
      const { error } = await failureOf(
        generate(harness.talk.messages, { credentials: harness.faults.badCredentials }),
      );
      expect(error).toMatchObject({ name: 'ProviderError', code: 'llm_unauthorized', retryable: false });
    });

    it('marks a rate limit or a provider failure as retryable', async ({ skip }) => {
      if (!harness.faults) return skip('a local provider: there is no server behind it that could fail');
      harness.faults.failNext(429);
      const limited = await failureOf(generate(harness.talk.messages));
      expect(limited.error).toMatchObject({ code: 'llm_rate_limited', retryable: true });
      harness.faults.failNext(500);
      const failed = await failureOf(generate(harness.talk.messages));
      expect(failed.error).toMatchObject({ code: 'llm_unavailable', retryable: true });
      const next = await failureOf(generate(harness.talk.messages));
      expect(next).toEqual({ error: undefined, text: harness.talk.answer });
    });

    it('gives what came and then fails when an answer is torn off', async ({ skip }) => {
      if (!harness.faults) return skip('a local provider: there is no server behind it that could fail');
      harness.faults.cutNext();
      const { error, text } = await failureOf(generate(harness.talk.messages));
      expect(text).not.toBe('');
      expect(harness.talk.answer.startsWith(text)).toBe(true);
      expect(error).toMatchObject({ code: 'llm_disconnected', retryable: true });
    });

    it('fails when the provider sends an error within an answer', async ({ skip }) => {
      if (!harness.faults) return skip('a local provider: there is no server behind it that could fail');
      harness.faults.errorNext();
      const { error, text } = await failureOf(generate(harness.talk.messages));
      expect(harness.talk.answer.startsWith(text)).toBe(true);
      expect(error).toMatchObject({ name: 'ProviderError', code: 'llm_unavailable', retryable: true });
    });

    it('can be aborted while the provider does not answer', async ({ skip }) => {
      if (!harness.faults) return skip('a local provider: there is no server behind it that could fail');
      harness.faults.stallNext();
      const turn = new AbortController();
      const reading = collectUntilAbort(turn.signal);
      await eventually(() => expect(harness.activeAnswers()).toBe(1));
      turn.abort();
      expect(await reading).toEqual([]);
      await eventually(() => expect(harness.activeAnswers()).toBe(0));
    });
  });
}

function textOf(events: readonly LlmEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.delta : '')).join('');
}

async function collect(events: AsyncIterable<LlmEvent>): Promise<LlmEvent[]> {
  const all: LlmEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
