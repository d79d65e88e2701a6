import type { AudioFormat } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import type { Conversation } from '../conversation/port.js';
import { testCallPlan } from '../testing/call-plan.js';
import { noMcpTools } from '../testing/call-stage.js';
import type { CallEnvironment } from './call-environment.js';
import { PreparedCalls } from './prepared-calls.js';

function environmentOf() {
  const log: string[] = [];
  const createConversation: CallEnvironment['createConversation'] = (_, { notice }) => {
    log.push('createConversation');
    notice('warm', 'The voice was slow to connect.');
    return {
      prepare: ({ encoding, sampleRate }: AudioFormat) => log.push(`prepare ${encoding} ${sampleRate}`),
      usage: () => ({}),
      close: () => log.push('close'),
    } as unknown as Conversation;
  };
  const environment = { clock: new ScriptedClock(), createConversation, openMcpTools: noMcpTools };
  return { log, calls: new PreparedCalls(environment as unknown as CallEnvironment) };
}

describe('a reserved call', () => {
  it('prepares its conversation while the phone rings, once, for the line that will come', () => {
    const { log, calls } = environmentOf();
    const plan = testCallPlan();
    calls.prepare(plan);
    calls.prepare(plan);
    expect(log).toEqual(['createConversation', 'prepare pcmu 8000']);
  });

  it.each([
    ['PCMA', 'prepare pcma 8000'],
    ['L16', 'prepare l16 16000'],
  ] as const)('prepares for a line that carries %s', (codec, prepared) => {
    const { log, calls } = environmentOf();
    calls.prepare(testCallPlan({ carrier: { name: 'telnyx', protocol: 'telnyx', codec } }));
    expect(log.at(-1)).toBe(prepared);
  });

  it("does not prepare for a tester's WebSocket, whose audio is not known yet", () => {
    const { log, calls } = environmentOf();
    calls.prepare(testCallPlan({ carrier: { name: 'websocket', protocol: 'websocket' } }));
    expect(log).toEqual(['createConversation']);
  });

  it('prepares wide-band audio for a browser', () => {
    const { log, calls } = environmentOf();
    calls.prepare(testCallPlan({ carrier: { name: 'webrtc', protocol: 'webrtc' } }));
    expect(log.at(-1)).toBe('prepare l16 16000');
  });

  it('hands what was prepared and noticed to the call', () => {
    const { log, calls } = environmentOf();
    const plan = testCallPlan();
    calls.prepare(plan);
    const notices: string[] = [];
    calls.take(plan).begin(({ code }) => notices.push(code));
    calls.abandon(plan.call_id);
    expect(notices).toEqual(['warm']);
    expect(log).toEqual(['createConversation', 'prepare pcmu 8000']);
  });

  it('lets go of everything when its line never comes', () => {
    const { log, calls } = environmentOf();
    const plan = testCallPlan();
    calls.prepare(plan);
    calls.abandon(plan.call_id);
    calls.abandon(plan.call_id);
    expect(log).toEqual(['createConversation', 'prepare pcmu 8000', 'close']);
  });
});
