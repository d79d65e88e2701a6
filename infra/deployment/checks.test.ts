import { describe, expect, it } from 'vitest';
import { composeProblems, interpolatedVariables } from './compose-file.js';
import { dockerfileProblems } from './dockerfile.js';
import { manifestsOf, parseYaml } from './documents.js';
import { schemaProblems } from './kubernetes-schemas.js';
import { typedProgram } from './unknown-fields.js';

const DOCKERFILE = `FROM node:22.1.0-slim AS build
WORKDIR /app
COPY package.json ./
RUN apt-get update && apt-get install --yes --no-install-recommends g++ \\
    # a comment between the lines
    && rm -rf /var/lib/apt/lists/*
FROM build
COPY --from=build /app /app
USER 10001:10001
HEALTHCHECK CMD ["true"]
CMD ["node", "main.js"]
`;
const problemsOf = (from: string, to: string) =>
  dockerfileProblems(DOCKERFILE.replace(from, to), (path) => path === 'package.json');

describe('the rules of the Dockerfile', () => {
  it('let a sound one pass', () => {
    expect(problemsOf('', '')).toEqual([]);
  });

  it.each([
    ['a stage without a version', 'node:22.1.0-slim', 'node', 'line 1: DL3006'],
    ['the newest version', 'node:22.1.0-slim', 'node:latest', 'line 1: DL3006'],
    ['a relative working directory', 'WORKDIR /app', 'WORKDIR app', 'line 2: DL3000'],
    [
      'a file that is not there',
      'COPY package.json',
      'COPY packages.json',
      'line 3: packages.json is not there',
    ],
    ['ADD', 'COPY package.json', 'ADD package.json', 'line 3: DL3020'],
    ['a question of apt-get', '--yes ', '', 'line 4: DL3014'],
    ['lists of apt that stay', '&& rm -rf /var/lib/apt/lists/*', '', 'line 4: DL3009'],
    [
      'a package that no lock file has',
      'RUN apt-get update',
      'RUN npm install x && apt-get update',
      'line 4: packages',
    ],
    [
      'a group that Debian has',
      'RUN apt-get update',
      'RUN groupadd --gid 10001 voice && apt-get update',
      'line 4: users and groups',
    ],
    ['a stage that is not there', '--from=build', '--from=other', 'line 8: DL3022'],
    ['root', 'USER 10001:10001', 'USER root', 'DL3002'],
    ['a user of the name alone', 'USER 10001:10001', 'USER node', 'DL3002'],
    ['no health check', 'HEALTHCHECK CMD ["true"]', '', 'the image has no HEALTHCHECK'],
    ['a shell around the command', '["node", "main.js"]', 'node main.js', 'line 11: DL3025'],
    ['a secret', 'WORKDIR /app', 'ENV API_TOKEN=abc', 'line 2: no secret'],
  ])('name %s', (_what, from, to, problem) => {
    expect(problemsOf(from, to)[0]).toContain(problem);
  });
});

describe('the schema of the Compose file', () => {
  const service = (lines: string) =>
    parseYaml(`services:\n  a:\n    image: x:1\n${lines}`, 'compose.yaml')[0]!;

  it('lets a sound file pass, merged ones too', () => {
    const text = `x-a: &a\n  image: x:1\nservices:\n  a:\n    <<: *a\n    stop_grace_period: 4h10m\n`;
    expect(composeProblems(parseYaml(text, 'compose.yaml')[0]!)).toEqual([]);
  });

  it.each([
    ['    stop_grace: 4h\n', 'stop_grace'],
    ['    stop_grace_period: 4 hours\n', 'duration'],
    ['    restart: [always]\n', '/services/a/restart'],
  ])('refuses %j', (lines, problem) => {
    expect(composeProblems(service(lines)).join()).toContain(problem);
  });

  it('shows the variables that it takes, and not those of a container’s shell', () => {
    const braced = (text: string) => ['$', '{', text, '}'].join('');
    const taken = `$ONE ${braced('TWO:-2')} ${braced('THREE:?why')}`;
    const file = service(`    environment:\n      A: ${taken}\n    command: echo $$FOUR\n`);
    expect(interpolatedVariables(file)).toEqual(['ONE', 'THREE', 'TWO']);
  });
});

describe('the schemas of Kubernetes', () => {
  const budget = (spec: string) =>
    manifestsOf(
      `apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: { name: a }\nspec: ${spec}\n`,
      'a.yaml',
    );

  it('let a sound object pass', () => {
    expect(
      budget('{ maxUnavailable: 25%, selector: { matchLabels: { a: b } } }').flatMap(schemaProblems),
    ).toEqual([]);
  });

  it('refuse a wrong type, and a kind that nobody knows', () => {
    expect(budget('{ selector: { matchLabels: 3 } }').flatMap(schemaProblems).join()).toContain(
      'matchLabels',
    );
    const other = manifestsOf('apiVersion: v9\nkind: Thing\n', 'b.yaml');
    expect(other.flatMap(schemaProblems)).toEqual([
      'b.yaml: no schema for v9/Thing; add it to kubernetes-schemas.ts',
    ]);
  });

  it('become a program that the compiler holds against the types', () => {
    expect(typedProgram(budget('{ maxUnavailabel: 1 }'))).toBe(
      "import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';\n" +
        '/** a.yaml */\n' +
        'export const object0: IPodDisruptionBudget = ' +
        '{\n "apiVersion": "policy/v1",\n "kind": "PodDisruptionBudget",\n "metadata": {\n  "name": "a"\n },\n' +
        ' "spec": {\n  "maxUnavailabel": 1\n }\n};\n',
    );
  });

  it('are read from files whose mistakes are named', () => {
    expect(() => parseYaml('a: 1\na: 2\n', 'c.yaml')).toThrow(/^c\.yaml: Map keys must be unique/);
    expect(() => manifestsOf('a: 1\n', 'd.yaml')).toThrow('d.yaml: an object without apiVersion and kind');
  });
});
