import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkDependencies } from './dependencies.mjs';
import { upToLastImport } from './typescript-imports.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dependencies-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** The violations of a repository of these files, by path and text. */
async function violationsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const checked = await checkDependencies(root);
  expect(checked.files).toBe(Object.keys(files).length);
  return checked.violations;
}

const CALL = 'export const call = 1;\nexport interface Call {}\n';

describe('what of a source is parsed', () => {
  const HEAD = "import { a } from './a.js';\nimport {\n  b,\n} from './b.js';";
  it.each([
    ['ends with the last import', `${HEAD}\nconst c = a + b;\n`, HEAD],
    ['ends with what is exported from another file', `const c = 1;\nexport * from './a.js';\nvoid c;\n`, 36],
    ['ends with what is imported for its effect', "import './a.js';\nvoid 1;\n", 16],
    ['is nothing where nothing is imported', 'export const a = 1;\n', ''],
    ['is all where something is imported later', `${HEAD}\nawait import('./c.js');\nvoid a;\n`, undefined],
    ['is all where a type is imported in its place', "export type A = import('./a.js').A;\n", undefined],
    ['is all where something is required', "const a = require('./a.js');\n", undefined],
    ['is all where modules are declared', "declare module 'a' {\n  import './b.js';\n}\n", undefined],
  ])('%s', (_what, source, parsed) => {
    const expected = typeof parsed === 'number' ? source.slice(0, parsed) : (parsed ?? source);
    expect(upToLastImport(source)).toBe(expected);
  });
});

describe('the rules of imports', () => {
  it('let a room import the floors below it', async () => {
    const files = {
      'control-plane/src/campaigns/engine.ts':
        "import { call } from '../calls/record/call.js';\nvoid call;\n",
      'control-plane/src/calls/record/call.ts': CALL,
      'control-plane/src/composition.ts': "import './campaigns/engine.js';\n",
    };
    expect(await violationsOf(files)).toEqual([]);
  });

  it('refuse an import of a floor above', async () => {
    const files = {
      'control-plane/src/agents/agent.ts': "import { call } from '../calls/record/call.js';\nvoid call;\n",
      'control-plane/src/calls/record/call.ts': CALL,
    };
    expect(await violationsOf(files)).toEqual([
      'floor-of-agents: control-plane/src/agents/agent.ts → control-plane/src/calls/record/call.ts',
    ]);
  });

  it('refuse it for a type alone, and from the platform to the configuration’s own importers', async () => {
    const files = {
      'control-plane/src/agents/agent.ts':
        "import type { Call } from '../calls/call.js';\nexport type A = Call;\n",
      'control-plane/src/calls/call.ts': CALL,
      'control-plane/src/platform/module.ts': "import type { App } from '../app.js';\nexport type A = App;\n",
      'control-plane/src/app.ts': 'export interface App {}\n',
    };
    expect(await violationsOf(files)).toEqual([
      'floor-of-agents: control-plane/src/agents/agent.ts → control-plane/src/calls/call.ts',
      'floor-of-platform: control-plane/src/platform/module.ts → control-plane/src/app.ts',
    ]);
  });

  it('refuse rooms of one floor each other', async () => {
    const files = {
      'control-plane/src/analytics/overview.ts': "import '../billing/ledger.js';\nimport './rows.js';\n",
      'control-plane/src/analytics/rows.ts': 'export {};\n',
      'control-plane/src/billing/ledger.ts': 'export {};\n',
    };
    expect(await violationsOf(files)).toEqual([
      'floor-of-analytics-and-billing: control-plane/src/analytics/overview.ts → control-plane/src/billing/ledger.ts',
    ]);
  });

  it('refuse a folder that has no floor', async () => {
    const files = {
      'control-plane/src/main.ts': "import './lobby/guests.js';\n",
      'control-plane/src/lobby/guests.ts': 'export {};\n',
    };
    expect(await violationsOf(files)).toEqual([
      'room-without-floor: control-plane/src/main.ts → control-plane/src/lobby/guests.ts',
    ]);
  });

  it('refuse a cycle, of types too', async () => {
    const files = {
      'media-plane/src/call/call.ts':
        "import { line } from './line.js';\nexport interface Call {}\nvoid line;\n",
      'media-plane/src/call/line.ts':
        "import type { Call } from './call.js';\nexport const line = {} as Call;\n",
    };
    expect(await violationsOf(files)).toEqual([
      'no-cycle: media-plane/src/call/call.ts → media-plane/src/call/line.ts → media-plane/src/call/call.ts',
    ]);
  });

  it('refuse folders that import each other by turns, though no file does', async () => {
    const files = {
      'media-plane/src/audio/pacer.ts': "import '../lines/format.js';\n",
      'media-plane/src/audio/levels.ts': 'export {};\n',
      'media-plane/src/lines/format.ts': 'export {};\n',
      'media-plane/src/lines/line.ts': "import '../audio/levels.js';\n",
    };
    expect(await violationsOf(files)).toEqual([
      'no-cycle-of-folders: media-plane/src/audio → media-plane/src/lines → media-plane/src/audio',
    ]);
  });

  it.each([
    ['loadtest/emulators', 'ts'],
    ['clients/typescript/src', 'ts'],
    ['clients/generate', 'mjs'],
    ['control-plane/assets', 'js'],
    ['control-plane/dashboard/build', 'mjs'],
    ['control-plane/dashboard/src/pages', 'ts'],
    ['infra', 'ts'],
  ])('refuse it in %s too', async (parent, ending) => {
    const written = ending === 'ts' ? 'js' : ending;
    const files = {
      [`${parent}/one/first.${ending}`]: `import '../other/second.${written}';\n`,
      [`${parent}/one/last.${ending}`]: 'export {};\n',
      [`${parent}/other/second.${ending}`]: `import '../one/last.${written}';\n`,
    };
    expect(await violationsOf(files)).toEqual([
      `no-cycle-of-folders: ${parent}/one → ${parent}/other → ${parent}/one`,
    ]);
  });

  it('look at no file that was built', async () => {
    const folder = join(root, 'shared/node_modules/other');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.js'), "import './index.js';\n");
    expect(await violationsOf({ 'shared/src/money.ts': 'export {};\n' })).toEqual([]);
  });

  it('refuse what is imported anywhere in a file', async () => {
    const files = {
      'media-plane/src/main.ts':
        "export const start = async () => {\n  await import('../../control-plane/src/main.js');\n};\n",
      'control-plane/src/main.ts': 'export {};\n',
    };
    expect(await violationsOf(files)).toEqual([
      'planes-apart: media-plane/src/main.ts → control-plane/src/main.ts',
    ]);
  });

  it('let a module import its parts, and a part its module’s types', async () => {
    const files = {
      'media-plane/src/lines/module.ts': "import './twilio/line.js';\n",
      'media-plane/src/lines/port.ts': 'export interface Line {}\n',
      'media-plane/src/lines/twilio/line.ts':
        "import type { Line } from '../port.js';\nexport type L = Line;\n",
    };
    expect(await violationsOf(files)).toEqual([]);
  });

  it('refuse one plane the other, tests included', async () => {
    const files = {
      'media-plane/src/worker.test.ts': "import '../../control-plane/src/main.js';\n",
      'control-plane/src/main.ts': 'export {};\n',
    };
    expect(await violationsOf(files)).toEqual([
      'planes-apart: media-plane/src/worker.test.ts → control-plane/src/main.ts',
    ]);
  });

  it('refuse the product what is for tests, and let tests have it', async () => {
    const files = {
      'media-plane/src/worker.ts': "import '../../loadtest/emulators/openai/server.js';\n",
      'media-plane/src/worker.test.ts': "import '../../loadtest/emulators/openai/server.js';\n",
      'loadtest/emulators/openai/server.ts': 'export {};\n',
    };
    expect(await violationsOf(files)).toEqual([
      'product-without-test-support: media-plane/src/worker.ts → loadtest/emulators/openai/server.ts',
    ]);
  });

  it('let ONNX Runtime be loaded by the one module that switches its telemetry off', async () => {
    const loads = "import { InferenceSession } from 'onnxruntime-node';\nvoid InferenceSession;\n";
    const violations = await violationsOf({
      'shared/src/inference/onnx-runtime.ts': loads,
      'media-plane/src/providers/vad/model.ts': loads,
    });
    expect(violations).toEqual([expect.stringContaining('media-plane/src/providers/vad/model.ts')]);
    expect(violations[0]).toContain('onnx-runtime-without-telemetry');
  });

  it('let other rooms name a model’s type, and refuse them to build it', async () => {
    const files = {
      'control-plane/src/calls/record/model.ts': 'export const callModel = 1;\nexport interface Call {}\n',
      'control-plane/src/calls/module.ts':
        "import { callModel } from './record/model.js';\nvoid callModel;\n",
      'control-plane/src/billing/ledger.ts':
        "import type { Call } from '../calls/record/model.js';\nexport type C = Call;\n",
      'control-plane/src/billing/module.ts':
        "import { callModel } from '../calls/record/model.js';\nvoid callModel;\n",
    };
    expect(await violationsOf(files)).toEqual([
      'model-of-its-owner: control-plane/src/billing/module.ts → control-plane/src/calls/record/model.ts',
    ]);
  });

  it('refuse it to the composition, too', async () => {
    const files = {
      'control-plane/src/calls/record/model.ts': 'export const callModel = 1;\n',
      'control-plane/src/composition.ts':
        "import { callModel } from './calls/record/model.js';\nvoid callModel;\n",
    };
    expect(await violationsOf(files)).toEqual([
      'model-of-its-owner: control-plane/src/composition.ts → control-plane/src/calls/record/model.ts',
    ]);
  });
});
