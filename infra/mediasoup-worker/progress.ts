/** Before a first measure: what the worker's compilation takes on two cores, in seconds (157 and 274 were seen). */
const USUAL_SECONDS_ON_TWO_CORES = 200;
/** The first files say little of the others. */
const ENOUGH_TO_ESTIMATE = 15;

/** Reads done and total from a line of ninja's (with its default status, `[12/261] …`). */
export function readNinjaLine(line: string): { readonly done: number; readonly total: number } | undefined {
  const match = /^\[(\d+)\/(\d+)\]/.exec(line);
  return match ? { done: Number(match[1]), total: Number(match[2]) } : undefined;
}

/** Estimates the seconds that a compilation still takes. */
export function secondsLeft(options: {
  readonly done: number;
  readonly total: number;
  readonly elapsedSeconds: number;
  readonly jobs: number;
}): number {
  const { done, total, elapsedSeconds, jobs } = options;
  if (done < ENOUGH_TO_ESTIMATE)
    return Math.max(10, (USUAL_SECONDS_ON_TWO_CORES * 2) / jobs - elapsedSeconds);
  return Math.ceil((elapsedSeconds / done) * (total - done));
}

/** Formats a duration: "about 3 minutes", "about 40 s". */
export function roughly(seconds: number): string {
  if (seconds >= 90) return `about ${Math.round(seconds / 60)} minutes`;
  return `about ${Math.max(5, Math.ceil(seconds / 5) * 5)} s`;
}
