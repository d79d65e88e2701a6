import type { z } from 'zod';

/** What is wrong with the environment: one line a variable, such as "PORT: expected a number, got 'abc'". */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Parses environment variables by a schema; an empty variable counts as absent.
 * @throws ConfigurationError that names every missing or wrong variable
 */
export function parseEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  env: Environment,
): z.output<Schema> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const name = String(path[0]);
    return given[name] === undefined ? `${name} is missing` : `${name}: ${message}`;
  });
  throw new ConfigurationError(problems.join('\n'));
}

/**
 * Parses one command-line value. `name` is the option as it is typed, such as `--port`.
 * @throws ConfigurationError that names the option
 */
export function parseOption<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  text: string | undefined,
): z.output<Schema> {
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(`${name}: ${parsed.error.issues[0]?.message}`);
}

/**
 * Returns two variables that belong together; undefined where neither is set.
 * @throws ConfigurationError that names the one that is missing beside the other
 */
export function pair(
  [firstName, first]: readonly [name: string, value: string | undefined],
  [secondName, second]: readonly [name: string, value: string | undefined],
): readonly [string, string] | undefined {
  if (first === undefined && second === undefined) return undefined;
  if (first === undefined) throw new ConfigurationError(`${firstName} is missing beside ${secondName}`);
  if (second === undefined) throw new ConfigurationError(`${secondName} is missing beside ${firstName}`);
  return [first, second];
}
