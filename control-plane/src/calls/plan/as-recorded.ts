import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { RecordingDirective } from '../../compliance/recording-consent.js';

/**
 * Returns what is said before anything else: that an AI speaks and, where this is to be announced, that it is recorded.
 */
export function openingWords(
  disclosure: string | null,
  recording: RecordingDirective | null,
  announcement: string,
): string | null {
  if (recording !== 'announced') return disclosure;
  return disclosure?.trim() ? `${disclosure.trim()} ${announcement}` : announcement;
}

/** Returns the agent, recorded no more than the law of the people on the line lets it be. */
export function asRecorded(agent: AgentSnapshot, recording: RecordingDirective | null): AgentSnapshot {
  return { ...agent, recording: { ...agent.recording, enabled: recording !== null && recording !== 'off' } };
}
