import type { CallDetail } from '../../api/types.js';
import { isOver } from './status.js';

const POLL_MS = 3000;
/** For so long after a call's end what follows it is waited for: recording, analysis, cost. */
const AFTERMATH_MS = 90_000;

type Facts = Pick<CallDetail, 'status' | 'started_at' | 'ended_at' | 'recording_url' | 'analysis' | 'cost'>;

/**
 * How long to wait until a call is read again, ms; false when nothing more is to come. The status says that a call is
 * over before its recording and analysis are there. `now` in epoch ms.
 */
export function detailPollMs(call: Facts, now: number): number | false {
  if (!isOver(call.status)) return POLL_MS;
  // Nobody answered: there is nothing to record or to analyse.
  if (call.started_at === null || call.ended_at === null) return false;
  const isWhole = call.recording_url !== null && call.analysis !== null && call.cost !== null;
  return !isWhole && now - Date.parse(call.ended_at) < AFTERMATH_MS ? POLL_MS : false;
}
