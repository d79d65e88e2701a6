import { agentSnapshot } from '@voice/shared/contracts/agent';
import { type CallPlan, callPlan } from '@voice/shared/contracts/call-plan';
import { newId } from '@voice/shared/ids/ids';

const local = { provider: 'local', model: '', params: {} };

/** Builds a valid plan for tests: a local agent that greets, with the parts that a test cares for replaced. */
export function testCallPlan(
  changes: Partial<CallPlan> = {},
  agentChanges: Partial<CallPlan['agent']> = {},
): CallPlan {
  return callPlan.parse({
    call_id: newId(),
    tenant_id: newId(),
    direction: 'outbound',
    sandbox: true,
    from_number: '+15005550100',
    to_number: '+15005550006',
    agent: agentSnapshot.parse({
      id: newId(),
      name: 'Test agent',
      pipeline_type: 'cascaded',
      system_prompt: 'You are friendly.',
      first_message: 'Hello, this is the clinic.',
      language: 'en-US',
      voice_config: { stt: local, llm: local, tts: local },
      tools: [{ type: 'end_call' }],
      turn_taking: {},
      max_duration_seconds: 600,
      silence_timeout_seconds: 8,
      voicemail: {},
      recording: { enabled: false },
      ...agentChanges,
    }),
    disclosure: null,
    carrier: { name: 'simulated', protocol: 'twilio' },
    credentials: {},
    stream_deadline_at: Date.now() + 60_000,
    ...changes,
  });
}
