import type { CallEventBody } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { noUsage } from './no-usage.js';

/** Builds the last event of a call whose media stream did not come. */
export function missingStream(plan: CallPlan): CallEventBody {
  return {
    kind: 'ended',
    end_reason: 'carrier_failed',
    duration_ms: 0,
    error_code: 'media_stream_missing',
    error_message: 'The carrier did not open the media stream in time.',
    usage: noUsage(plan),
    has_recording: false,
  };
}
