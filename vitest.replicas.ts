import { expect, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Test files whose control planes have two replicas. */
    onTwoReplicas: readonly string[];
  }
}

// Before each file, as workers run one file after another.
process.env.REPLICAS = inject('onTwoReplicas').includes(expect.getState().testPath ?? '') ? '2' : '1';
