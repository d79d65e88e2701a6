import type { PacingOptions } from '../streams/pacing-options.js';
import type { MediaLine } from './port.js';

/** How a line's output is paced. */
export function pacingOf({ format, leadMs, returnsMarks }: MediaLine): Partial<PacingOptions> {
  return { format, leadMs, ...(returnsMarks ? {} : { markGraceMs: 0, markEveryMs: 0 }) };
}
