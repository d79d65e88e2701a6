/** Where the lines of a log go. */
export interface LineSink {
  write(lines: string): void;
}

/** From one write to the next, in ms. */
const EVERY_MS = 10;

/**
 * Writes the first line at once, at the end of its turn of the event loop, and what comes in the 10 ms after a write in
 * one piece: each write is a request to another thread, which costs as much as making the line. What waits is written
 * when the process exits, also by an error that nothing catches; a process that is killed may lose those lines.
 */
export function pacedLines(sink: LineSink): LineSink {
  let waiting = '';
  let writtenAt = Number.NEGATIVE_INFINITY;
  const flush = () => {
    const lines = waiting;
    waiting = '';
    writtenAt = performance.now();
    if (lines !== '') sink.write(lines);
  };
  // Before the sink's own end, which writes what it still holds.
  process.prependOnceListener('exit', flush);
  return {
    write(line) {
      if (waiting === '') {
        const pause = writtenAt + EVERY_MS - performance.now();
        if (pause > 0) setTimeout(flush, pause);
        else setImmediate(flush);
      }
      waiting += line;
    },
  };
}
