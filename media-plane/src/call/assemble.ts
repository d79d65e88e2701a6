import type { Clock } from '@voice/shared/clock/clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { Providers } from '../providers/registry.js';
import { describeNotice } from '../providers/resilience/notice.js';
import { protectProviders } from '../providers/resilience/protect.js';
import { createRecorder } from '../recording/recorder.js';
import type { CallPipeline } from './call-environment.js';

export interface AssemblyOptions {
  readonly providers: Providers;
  readonly clock: Clock;
  /** Told of budgets passed and fallbacks taken, for the call's timeline. */
  readonly notice: (code: string, message: string) => void;
  /** Undefined: only check that the plan can be assembled. */
  readonly recordingPath: string | undefined;
}

/**
 * The cascaded pipeline of one call: the providers that its agent names, with time-outs and fallbacks.
 * @throws ProviderError for a provider that this worker does not have
 * @throws ServiceError 422 `pipeline_not_supported` for a speech-to-speech agent
 */
export function assemblePipeline(plan: CallPlan, options: AssemblyOptions): CallPipeline {
  const { agent } = plan;
  if (!('stt' in agent.voice_config)) {
    throw new ServiceError({
      code: 'pipeline_not_supported',
      status: 422,
      message: 'This worker runs cascaded agents; speech-to-speech agents are not available on it.',
    });
  }
  const { stt, llm, tts } = agent.voice_config;
  const { providers, clock, notice, recordingPath } = options;
  const choices = { stt, llm, tts };
  return {
    choices,
    ...protectProviders({
      providers,
      choices,
      fallbacks: agent.fallback_voice_config,
      credentials: plan.credentials,
      clock,
      onNotice: (told) => notice(told.code, describeNotice(told)),
    }),
    recorder: agent.recording.enabled && recordingPath ? createRecorder({ path: recordingPath }) : undefined,
  };
}
