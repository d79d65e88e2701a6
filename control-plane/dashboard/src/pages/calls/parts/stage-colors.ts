import type { Stage } from '../turn-latency.js';

/** Written out, so that the style sheet has them. */
export const STAGE_COLORS: Readonly<Record<Stage, string>> = {
  endpointing: 'bg-stage-endpointing',
  stt: 'bg-stage-stt',
  llm: 'bg-stage-llm',
  tts: 'bg-stage-tts',
  line: 'bg-stage-line',
};
