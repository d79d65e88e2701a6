/** A JSON Schema as a tenant gave it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Where in a schema or a value. */
export type JsonPath = readonly (string | number)[];

/** What is wrong, and where. */
export interface JsonProblem {
  readonly path: JsonPath;
  readonly message: string;
}

/** Returns whether something is a JSON object, as every schema but `true` and `false` is. */
export function isJsonObject(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
