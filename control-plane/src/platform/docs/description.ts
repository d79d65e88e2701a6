/** The parts of an OpenAPI 3.1 description that the reader shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
  readonly 'x-error-codes'?: readonly string[];
}

export interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses?: Readonly<Record<string, Response>>;
  readonly security?: readonly unknown[];
  readonly 'x-client-method'?: string;
}

export interface Description {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly servers?: readonly { readonly url: string }[];
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly responses?: Readonly<Record<string, Response>>;
  };
}

const VERBS = ['get', 'post', 'put', 'patch', 'delete'];

/** An operation with where it is, or an event that is sent to a receiver (`path` is then its type). */
export interface Placed {
  readonly verb: string;
  readonly path: string;
  readonly operation: Operation;
}

const placed = (items: Description['paths']): Placed[] =>
  Object.entries(items).flatMap(([path, item]) =>
    VERBS.flatMap((verb) => {
      const operation = item[verb];
      return operation === undefined ? [] : [{ verb: verb.toUpperCase(), path, operation }];
    }),
  );

/** Returns what the reference shows under each tag, in the description's order; no tag without an operation. */
export function byTag(api: Description): { name: string; description: string; operations: Placed[] }[] {
  const all = [...placed(api.paths), ...placed(api.webhooks ?? {})];
  return (api.tags ?? [])
    .map(({ name, description = '' }) => ({
      name,
      description,
      operations: all.filter(({ operation }) => operation.tags?.[0] === name),
    }))
    .filter(({ operations }) => operations.length > 0);
}

const nameOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1);

/** Returns the schema that a reference names, or the schema itself. */
export function schemaOf(api: Description, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (api.components?.schemas?.[nameOf(schema.$ref)] ?? {});
}

/** Returns the operation's parameters, without references. */
export function parametersOf(api: Description, operation: Operation): Parameter[] {
  return (operation.parameters ?? []).flatMap((parameter) => {
    const found =
      parameter.$ref === undefined ? parameter : api.components?.parameters?.[nameOf(parameter.$ref)];
    return found === undefined ? [] : [found];
  });
}

/** Returns the response itself where it is a reference to one. */
export function responseOf(api: Description, response: Response): Response {
  return response.$ref === undefined ? response : (api.components?.responses?.[nameOf(response.$ref)] ?? {});
}
