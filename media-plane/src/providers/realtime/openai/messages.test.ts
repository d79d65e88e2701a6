import { L16_16K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { openAiRealtimeParams } from '@voice/shared/catalogue/params/openai-realtime';
import { describe, expect, it } from 'vitest';
import { parseClientEvent } from '../../../../../loadtest/emulators/openai-realtime/client-events.js';
import type { RealtimeHistoryItem } from '../port.js';
import { itemCreate, responseCreate, sessionUpdate, toolsUpdate } from './messages.js';

const OPTIONS = {
  instructions: 'Be brief.',
  language: 'de-DE',
  tools: [{ name: 'book', description: 'Books.', parameters: { type: 'object' } }],
  format: PCMU_8K,
  turnDetection: 'ours',
} as const;

function session(options: Partial<Parameters<typeof sessionUpdate>[0]>, params: object = {}) {
  const event = sessionUpdate({ ...OPTIONS, ...options }, openAiRealtimeParams.parse(params), 'configure');
  // What the strict emulator refuses, the service refuses, too.
  expect(parseClientEvent(JSON.stringify(event))).not.toHaveProperty('refusal');
  if (event.type !== 'session.update' || event.session.type !== 'realtime') throw new Error('not realtime');
  return event.session;
}

describe('configuring a session', () => {
  it('passes G.711 through, and asks for 24 kHz on other lines', () => {
    expect(session({}).audio?.input?.format).toEqual({ type: 'audio/pcmu' });
    expect(session({ format: PCMA_8K }).audio?.output?.format).toEqual({ type: 'audio/pcma' });
    expect(session({ format: L16_16K }).audio?.input?.format).toEqual({ type: 'audio/pcm', rate: 24_000 });
  });

  it('switches turn detection off, or off from answering', () => {
    expect(session({}).audio?.input?.turn_detection).toBeNull();
    const off = { create_response: false, interrupt_response: false };
    expect(session({ turnDetection: 'provider' }).audio?.input?.turn_detection).toEqual({
      type: 'server_vad',
      ...off,
    });
    const semantic = { turn_detection: { type: 'semantic_vad', eagerness: 'low' } };
    expect(session({ turnDetection: 'provider' }, semantic).audio?.input?.turn_detection).toEqual({
      type: 'semantic_vad',
      eagerness: 'low',
      ...off,
    });
  });

  it('transcribes the caller in their language, unless configured not to', () => {
    expect(session({}).audio?.input?.transcription).toEqual({
      model: 'gpt-4o-mini-transcribe',
      language: 'de',
    });
    expect(session({ language: 'multi' }).audio?.input?.transcription).toEqual({
      model: 'gpt-4o-mini-transcribe',
    });
    const named = { transcription_model: 'whisper-1', transcription_prompt: 'Bright Smile' };
    expect(session({}, named).audio?.input?.transcription).toMatchObject({
      model: 'whisper-1',
      prompt: 'Bright Smile',
    });
    expect(session({}, { transcription_model: null }).audio?.input).not.toHaveProperty('transcription');
  });

  it('passes the agent settings on under the names of the API', () => {
    const all = session(
      {},
      { voice: 'marin', speed: 1.2, noise_reduction: 'near_field', max_output_tokens: 400 },
    );
    expect(all.audio?.output).toMatchObject({ voice: 'marin', speed: 1.2 });
    expect(all.audio?.input?.noise_reduction).toEqual({ type: 'near_field' });
    expect(all.max_output_tokens).toBe(400);
    expect(session({}, { voice: { id: 'voice_1' } }).audio?.output?.voice).toEqual({ id: 'voice_1' });
    expect(all.tools).toEqual([
      { type: 'function', name: 'book', description: 'Books.', parameters: { type: 'object' } },
    ]);
  });

  it.each([
    { voice: 42 },
    { speed: 2 },
    { max_output_tokens: 5000 },
    { turn_detection: { type: 'none' } },
    { base_url: 'ftp://x' },
    { noise_reduction: 'much' },
  ])('refuses the setting %j', (params) => {
    expect(openAiRealtimeParams.safeParse(params).success).toBe(false);
  });
});

describe('items and responses', () => {
  const created = (item: RealtimeHistoryItem) => {
    const event = itemCreate(item);
    expect(parseClientEvent(JSON.stringify(event))).not.toHaveProperty('refusal');
    return event;
  };

  it('writes each role in the shape that the service wants', () => {
    for (const [role, type] of [
      ['user', 'input_text'],
      ['system', 'input_text'],
      ['assistant', 'output_text'],
    ] as const) {
      expect(created({ role, text: 'hello' })).toMatchObject({
        item: { role, content: [{ type, text: 'hello' }] },
      });
    }
  });

  it('shortens ids of other models that are too long, the same way for a call and its result', () => {
    const id = '0b9ce1f2-6a7d-4f0e-9c58-1d2e3f405162';
    const call = created({ role: 'tool_call', call: { id, name: 'book', arguments: '{}' } });
    const result = created({ role: 'tool_result', callId: id, text: 'ok' });
    const idOf = (event: unknown) => (event as { item: { call_id: string } }).item.call_id;
    expect(idOf(call)).toHaveLength(32);
    expect(idOf(call)).toBe(idOf(result));
    expect(idOf(created({ role: 'tool_result', callId: 'call_1', text: 'ok' }))).toBe('call_1');
  });

  it('asks for exact words without a conversation or tools to be led astray by', () => {
    const event = responseCreate({ verbatim: 'This call is recorded.' }, 'tag', 'id');
    expect(parseClientEvent(JSON.stringify(event))).not.toHaveProperty('refusal');
    expect(event).toMatchObject({
      event_id: 'id',
      response: { metadata: { tag: 'tag' }, input: [], tools: [], tool_choice: 'none' },
    });
    expect(JSON.stringify(event)).toContain(': This call is recorded.');
    expect(responseCreate({}, 'tag', 'id')).toEqual({
      type: 'response.create',
      event_id: 'id',
      response: { metadata: { tag: 'tag' } },
    });
  });

  it('changes tools and nothing else', () => {
    const event = toolsUpdate([]);
    expect(parseClientEvent(JSON.stringify(event))).not.toHaveProperty('refusal');
    expect(event).toEqual({ type: 'session.update', session: { type: 'realtime', tools: [] } });
  });
});
