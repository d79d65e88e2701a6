import { spawnSync } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { Operation, Schema } from './model.mjs';
import { resourcesModule, typesModule } from './python.mjs';
import { resourcesFile, typesFile } from './typescript.mjs';

/** An API whose names are words of both languages, names of what stands beside them, and no names at all. */
const NAMES = ['from', 'in', 'class', 'lambda', 'None', 'self', 'body', 'options', 'new', 'x-y', '2fa'];
const WORDS: Operation = {
  id: 'getCall',
  resource: 'calls',
  method: 'raise',
  verb: 'GET',
  path: `/calls/${NAMES.map((name) => `{${name}}`).join('/')}`,
  summary: 'Read it',
  pathParameters: NAMES,
  query: ['except', 'x-y', 'limit'].map((name) => ({
    name,
    required: false,
    schema: { type: 'string' },
    description: '',
  })),
  body: undefined,
  bodyRequired: false,
  result: undefined,
  pages: undefined,
  acceptsMode: false,
};
const SCHEMAS: Record<string, Schema> = {
  Words: {
    type: 'object',
    properties: Object.fromEntries(NAMES.map((name) => [name, { enum: ["it's", 'a\\'] }])),
  },
  WordsEvent: { type: 'object', properties: {} },
  WordsEventData: { type: 'object', properties: {} },
};

describe('the generated clients', () => {
  it('are TypeScript where parameters and fields are reserved words', () => {
    const [resources, types] = [resourcesFile([WORDS]), typesFile(SCHEMAS)];
    for (const text of [resources, types]) expect(() => stripTypeScriptTypes(text)).not.toThrow();
    expect(resources).toContain('raise(from: string, in_: string, class_: string,');
    expect(resources).toMatch(/\/\$\{in_\}\/\$\{class_\}\//);
    expect(resources).toContain("'x-y'?: string");
  });

  it('are Python where parameters and fields are reserved words', () => {
    const [resources, types] = [resourcesModule([WORDS]), typesModule(SCHEMAS)];
    expect(resources).toContain(
      'def raise_(self, from_: str, in_: str, class_: str, lambda_: str, None_: str, self_: str,',
    );
    expect(resources).toContain('**{"from": from_}, **{"in": in_}');
    const program = 'import sys, json\nfor text in json.load(sys.stdin): compile(text, "generated", "exec")';
    const { error, status, stderr } = spawnSync('python3', ['-c', program], {
      input: JSON.stringify([resources, types]),
      encoding: 'utf8',
    });
    if (error) console.warn('!!! no python3: what is generated for it is not compiled');
    else expect(status, stderr).toBe(0);
  });
});
