import { PCMU_8K } from '@voice/shared/audio/format';
import { silentLog } from '@voice/shared/log/log';
import type { VoiceOptions } from '../port.js';

/** Options of a voice on a phone call in English. */
export function voiceOptions(
  voice: Pick<VoiceOptions, 'choice' | 'credentials' | 'clock'>,
  change: Partial<VoiceOptions> = {},
): VoiceOptions {
  return { ...voice, format: PCMU_8K, language: 'en-US', log: silentLog, ...change };
}
