import { readFileSync } from 'node:fs';
import { inject } from 'vitest';
import { lastLines, RunningSystem } from '../../system/launched-system.js';

declare module 'vitest' {
  interface ProvidedContext {
    sharedSystem: { readonly dataDir: string; readonly outputFile: string };
  }
}

/** The one system of all test files that harm none: each has tenants of its own there. */
export class SharedSystem extends RunningSystem {
  readonly #outputFile: string;

  constructor() {
    const { dataDir, outputFile } = inject('sharedSystem');
    super(dataDir);
    this.#outputFile = outputFile;
  }

  /** What it has written so far, to both outputs. */
  get lines(): string[] {
    return readFileSync(this.#outputFile, 'utf8').trimEnd().split('\n');
  }

  /** Returns the last log lines, for a failed test's message. */
  tail(count = 40): string {
    return lastLines(this.lines, count);
  }
}
