import type { Method, Route } from '../platform/http/route.js';
import type { TestControlPlane } from '../testing/control-plane.js';

interface DescribedAnswer {
  readonly $ref?: string;
  readonly 'x-error-codes'?: readonly string[];
}

interface DescribedOperation {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

/** Returns the answers by their status, those that operations have in common looked up. */
function answersIn(
  document: unknown,
  responses: Readonly<Record<string, DescribedAnswer>>,
): Record<string, DescribedAnswer> {
  const { components } = document as { components: { responses: Record<string, DescribedAnswer> } };
  return Object.fromEntries(
    Object.entries(responses).map(([status, answer]) => [
      status,
      answer.$ref === undefined ? answer : components.responses[answer.$ref.split('/').at(-1)!]!,
    ]),
  );
}

/** An operation of the OpenAPI description, with the declaration that it was made from. */
export interface Operation {
  readonly method: Method;
  readonly path: string;
  readonly route: Route;
  /** Whether it wants a credential. */
  readonly guarded: boolean;
  /** Names of the path's parameters. */
  readonly parameters: readonly string[];
  readonly responses: DescribedOperation['responses'];
}

/** Returns all operations of the control plane's own OpenAPI description. */
export async function operationsOf(plane: TestControlPlane): Promise<Operation[]> {
  const { json } = await plane.request('GET', '/v1/openapi.json');
  const { paths } = json as { paths: Record<string, Partial<Record<Method, DescribedOperation>>> };
  const routes = plane.modules.flatMap((module) => module.routes ?? []);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security, responses }]) => {
      const route = routes.find((declared) => declared.operationId === operationId);
      if (!route) throw new Error(`described, but not declared: ${operationId}`);
      return {
        method: method as Method,
        path,
        route,
        guarded: security?.length !== 0,
        parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
        responses: answersIn(json, responses),
      };
    }),
  );
}

/** Values of parameters that name no resource by itself, for who gives them their own name as a value. */
const PART_OF_A_RESOURCE: Readonly<Record<string, string>> = { version: '1' };

/** Returns the path with a value in place of each parameter. */
export function concretePath({ path }: Pick<Operation, 'path'>, value: (name: string) => string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const given = value(name);
    return encodeURIComponent(given === name ? (PART_OF_A_RESOURCE[name] ?? name) : given);
  });
}

/** Returns whether the parameter names a resource by its id. */
export function isId(name: string): boolean {
  return name.endsWith('_id');
}
