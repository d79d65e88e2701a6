/** One of the waits that a moment is made of, in ms. */
const STEP_MS = 5;

/**
 * Waits for so many ms at least, in many turns of the event loop: what is under way between sockets of this process has
 * arrived then, also where the process stood still for all of the time.
 */
export async function moment(ms = 60): Promise<void> {
  for (let waited = 0; waited < ms; waited += STEP_MS) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}
