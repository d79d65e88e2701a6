import { PCMU_8K } from '@voice/shared/audio/format';
import { systemClock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { silentLog } from '@voice/shared/log/log';
import { beforeEach, describe, expect, it } from 'vitest';
import { startOpenAiRealtimeEmulator } from '../../../../loadtest/emulators/openai-realtime/server.js';
import type { HistoryEntry } from '../../call/turn-taking/effects.js';
import { createOpenAiRealtime } from '../../providers/realtime/openai/openai.js';
import type { RealtimeEvent } from '../../providers/realtime/port.js';
import { RealtimeListener } from '../../providers/realtime/testing/listener.js';
import { ScriptedRealtime, type ScriptedSession } from '../../testing/scripted-realtime.js';
import { SessionMemory } from './session-memory.js';

const user = (text: string): HistoryEntry => ({ role: 'user', text });
const agent = (text: string): HistoryEntry => ({ role: 'assistant', text, toolCalls: [] });
const note = (text: string): HistoryEntry => ({ role: 'note', text });
const toolCall = (id: string) =>
  ({ id, name: 'look_up', arguments: '{}', kind: 'http', sideEffects: false }) as const;

const OPTIONS = {
  choice: { provider: 'any', model: '', params: {} },
  credentials: {},
  instructions: 'Be brief.',
  language: 'en-US',
  tools: [],
  format: PCMU_8K,
  turnDetection: 'ours',
  history: [],
  log: silentLog,
} as const;

let session: ScriptedSession;
beforeEach(() => {
  const provider = new ScriptedRealtime([]);
  provider.open({ ...OPTIONS, clock: new ScriptedClock(), onEvent: () => {} });
  session = provider.session;
});

/** Opens the memory of a session that knows this much. */
const opened = (...history: HistoryEntry[]) => new SessionMemory(session, history, []);

describe('what a session is given that has been there all along', () => {
  it('is notes and no speech, each once', () => {
    const memory = opened();
    const history = [user('When do you close?'), agent('Until six.'), note('Offer a discount.')];
    memory.catchUp(history);
    expect(session.log).toEqual([]);
    memory.bringUpToDate(history);
    memory.bringUpToDate(history);
    expect(session.log).toEqual(['note Offer a discount.']);
  });
});

describe('what a session is given that has taken over', () => {
  it('is what it was not opened with, in order and once', () => {
    const known = user('When do you close?');
    const memory = opened(known);
    const history = [known, agent('Until six.'), note('Offer a discount.')];
    memory.takeOver(history, false);
    memory.catchUp(history);
    memory.bringUpToDate(history);
    expect(session.items).toEqual([
      { role: 'assistant', text: 'Until six.' },
      { role: 'system', text: 'Offer a discount.' },
    ]);
    expect(session.log).toEqual(['assistant', 'system']);
  });

  it('is the caller’s words once they are known, of a turn that it did not hear', () => {
    const memory = opened();
    const unknown = user('');
    memory.takeOver([unknown], false);
    expect(session.items).toEqual([]);
    memory.catchUp([user('When do you close?'), agent('Until six.')]);
    expect(session.items.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('is none of the caller’s words that it hears itself, be they known before its answer or after', () => {
    const memory = opened();
    memory.takeOver([], false);
    memory.bringUpToDate([user('When do you close?')]);
    memory.bringUpToDate([user('When do you close, please?'), user('And on Sundays?')]);
    expect(session.items).toEqual([]);
  });

  it('is none of the words of the turn that it hears again', () => {
    const memory = opened();
    const asked = [user('When do you close?'), agent('Until six.')];
    memory.takeOver([...asked, user('')], true);
    memory.bringUpToDate([...asked, user('And on Sundays?')]);
    expect(session.items.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('is nothing of what it said since, to its end or not', () => {
    const memory = opened();
    memory.takeOver([], false);
    const before = agent('Shall I book it?');
    memory.catchUp([before]);
    memory.says('Are you still there?');
    memory.says('Can you hear me?');
    memory.bringUpToDate([before, agent('Are you still there?'), agent('Can you')]);
    expect(session.items).toEqual([{ role: 'assistant', text: 'Shall I book it?' }]);
  });

  it('is a tool’s call before its result, where the session before had made it', () => {
    const call = toolCall('t1');
    const memory = opened();
    memory.takeOver([], false);
    memory.bringUpToDate([
      { role: 'assistant', text: '', toolCalls: [call] },
      { role: 'tool', toolCallId: 't1', text: 'shipped' },
    ]);
    expect(session.items).toEqual([
      { role: 'tool_call', call: { id: 't1', name: 'look_up', arguments: '{}' } },
      { role: 'tool_result', callId: 't1', text: 'shipped' },
    ]);
  });

  it('is only the result of a call that it made itself, by the id that it gave', () => {
    const call = { ...toolCall('t1_2'), serverId: 't1' };
    const memory = opened();
    memory.takeOver([], false);
    memory.bringUpToDate([]);
    memory.bringUpToDate([
      { role: 'assistant', text: 'Let me see.', toolCalls: [] },
      { role: 'assistant', text: '', toolCalls: [call] },
      { role: 'tool', toolCallId: 't1_2', serverId: 't1', text: 'shipped' },
    ]);
    expect(session.items).toEqual([{ role: 'tool_result', callId: 't1', text: 'shipped' }]);
  });
});

describe('what OpenAI is given that has taken over while a tool ran', () => {
  it('is taken: its service refuses a result without the call', async () => {
    const emulator = await startOpenAiRealtimeEmulator({ apiKeys: ['good'] });
    const events: RealtimeEvent[] = [];
    const openai = createOpenAiRealtime({ egress: createAddressPolicy(['127.0.0.0/8']) }).open({
      ...OPTIONS,
      credentials: { api_key: 'good', base_url: emulator.baseUrl },
      clock: systemClock,
      onEvent: (event) => events.push(event),
    });
    try {
      const memory = new SessionMemory(openai, [], []);
      memory.takeOver([], false);
      memory.bringUpToDate([
        { role: 'assistant', text: '', toolCalls: [toolCall('t1')] },
        { role: 'tool', toolCallId: 't1', text: 'shipped' },
      ]);
      await new RealtimeListener(openai, events, PCMU_8K).completed(
        openai.respond({ verbatim: 'It was shipped.' }),
      );
      expect(emulator.memory().map(({ item }) => item)).toMatchObject([
        { type: 'function_call', call_id: 't1', name: 'look_up' },
        { type: 'function_call_output', call_id: 't1', output: 'shipped' },
        { type: 'message', role: 'assistant' },
      ]);
      expect(emulator.counters.errors).toBe(0);
    } finally {
      openai.close();
      await emulator.close();
    }
  });
});
