import { z } from 'zod';
import { ms } from './primitives.js';

/** A call has no more than this many of either. */
const MOST = 5000;

/** What the recording of a call shows, in ms since its media stream began. */
export const waveformFigures = z.object({
  /** The caller fell silent, then the agent was audible. */
  responses: z.array(z.object({ caller_ended_at_ms: ms, agent_began_at_ms: ms })).max(MOST),
  /** The caller spoke over the agent, and the agent fell silent. */
  barge_ins: z.array(z.object({ caller_began_at_ms: ms, agent_ended_at_ms: ms })).max(MOST),
});
export type WaveformFigures = z.infer<typeof waveformFigures>;
