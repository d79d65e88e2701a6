import { describe, expect, it } from 'vitest';
import { resolveImport, testsOf } from './changed.mjs';

/** One file that is imported directly, and two that reach it through what brings everything with it. */
const GRAPH = new Map([
  ['control-plane/src/calls/engine/lease.ts', []],
  ['control-plane/src/calls/engine/dispatcher.ts', ['control-plane/src/calls/engine/lease.ts']],
  ['control-plane/src/calls/engine/dispatcher.test.ts', ['control-plane/src/calls/engine/dispatcher.ts']],
  ['control-plane/src/agents/agents.ts', []],
  [
    'control-plane/src/composition.ts',
    ['control-plane/src/calls/engine/dispatcher.ts', 'control-plane/src/agents/agents.ts'],
  ],
  ['control-plane/src/calls/calls.test.ts', ['control-plane/src/composition.ts']],
  ['control-plane/src/agents/agents.test.ts', ['control-plane/src/composition.ts']],
  ['loadtest/end-to-end/calls.test.ts', ['control-plane/src/calls/engine/lease.ts']],
]);
const LIMITS = { wholeProcess: 3 };

describe('the tests that a change touches', () => {
  it('are those that import it, then those around it that reach it through a whole process', () => {
    expect(testsOf(GRAPH, ['control-plane/src/calls/engine/lease.ts'], LIMITS)).toEqual({
      tests: ['control-plane/src/calls/engine/dispatcher.test.ts', 'control-plane/src/calls/calls.test.ts'],
      left: 1,
    });
  });

  it('are no more than can run within a minute, and the rest is counted', () => {
    const all = testsOf(GRAPH, ['control-plane/src/calls/engine/lease.ts'], { ...LIMITS, most: 1 });
    expect(all).toEqual({ tests: ['control-plane/src/calls/engine/dispatcher.test.ts'], left: 2 });
  });

  it('are the test file itself when it is what changed, an end-to-end test too', () => {
    const changed = ['loadtest/end-to-end/calls.test.ts', 'control-plane/src/agents/agents.test.ts'];
    expect(testsOf(GRAPH, changed, LIMITS)).toEqual({ tests: changed, left: 0 });
  });

  it('are none where nobody imports what changed', () => {
    expect(testsOf(GRAPH, ['README.md'], LIMITS)).toEqual({ tests: [], left: 0 });
  });
});

describe('an import', () => {
  const exists = (path: string) =>
    ['shared/src/ids/ids.ts', 'infra/setup/messages.mjs', 'infra/cli/key.ts'].includes(path);

  it.each([
    ['of a source file', 'infra/cli/call.ts', './key.js', 'infra/cli/key.ts'],
    ['of a module', 'infra/setup/test.mjs', './messages.mjs', 'infra/setup/messages.mjs'],
    ['of the shared workspace', 'infra/cli/call.ts', '@voice/shared/ids/ids', 'shared/src/ids/ids.ts'],
    ['of a package', 'infra/cli/call.ts', 'zod', undefined],
    ['of a file that is not there', 'infra/cli/call.ts', './gone.js', undefined],
  ])('%s is found', (_what, from, specifier, file) => {
    expect(resolveImport(from, specifier, exists)).toBe(file);
  });
});
