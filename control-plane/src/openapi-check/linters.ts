import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { isAccepted, type Problem } from './problem.js';

type Document = Readonly<Record<string, unknown>>;

/** Redocly's recommended rules, among them that every example fits its schema. */
async function redocly(document: Document): Promise<Problem[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source: JSON.stringify(document), config });
  return found.map(({ ruleId, message, location }) => ({
    tool: 'redocly',
    rule: ruleId,
    at: location[0]?.pointer ?? '#',
    message,
  }));
}

/** What Redocly has held to their schemas already, which takes Spectral longer than all its other rules. */
const EXAMPLES = { 'oas3-valid-media-example': 'off', 'oas3-valid-schema-example': 'off' } as const;

/** Spectral's rules for OpenAPI. */
async function spectral(document: Document): Promise<Problem[]> {
  const linter = new spectralCore.Spectral();
  linter.setRuleset({ extends: [spectralRulesets.oas as RulesetDefinition], rules: EXAMPLES });
  const found = await linter.run(structuredClone(document));
  return found.map(({ code, message, path }) => ({
    tool: 'spectral',
    rule: String(code),
    at: path.join('/'),
    message,
  }));
}

/** Types for TypeScript: those of every operation must come out. */
async function typescript(document: Document): Promise<Problem[]> {
  const problem = (at: string, message: string): Problem => ({
    tool: 'openapi-typescript',
    rule: 'types',
    at,
    message,
  });
  try {
    const types = astToString(await openapiTypescript(structuredClone(document) as unknown as OpenAPI3));
    const missing = operationIds(document).filter((id) => !new RegExp(`\\b${id}: \\{`).test(types));
    return missing.map((id) => problem(id, 'the operation was left out'));
  } catch (error) {
    return [problem('#', error instanceof Error ? error.message : String(error))];
  }
}

export function operationIds({ paths }: Document): string[] {
  const methods = Object.values((paths ?? {}) as Record<string, Record<string, { operationId: string }>>);
  return methods.flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
}

/** Everything that the npm tools have against the description, and that it can help. */
export async function problemsOf(document: Document): Promise<Problem[]> {
  const found = [
    ...(await redocly(document)),
    ...(await spectral(document)),
    ...(await typescript(document)),
  ];
  return found.filter((problem) => !isAccepted(problem));
}
