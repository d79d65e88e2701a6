import {
  type CallEventBody,
  type CallUsage,
  MEDIA_STREAM_MISSING,
} from '@voice/shared/contracts/call-events';

/**
 * Builds the last event of a call whose media stream did not come.
 * @param usage what it took to prepare it
 */
export function missingStream(usage: CallUsage): CallEventBody {
  return {
    kind: 'ended',
    end_reason: 'carrier_failed',
    duration_ms: 0,
    error_code: MEDIA_STREAM_MISSING,
    error_message: 'The carrier did not open the media stream in time.',
    usage,
    has_recording: false,
  };
}
