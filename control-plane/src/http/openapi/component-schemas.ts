import { z } from 'zod';
import { dropLanguageBounds } from './number-bounds.js';

export type JsonSchema = Record<string, unknown>;

const LOCAL = '#/$defs/';
const COMPONENT = '#/components/schemas/';

/**
 * Turns zod schemas into OpenAPI 3.1 schemas (JSON Schema 2020-12). A schema with `.meta({ id })`
 * becomes a component under that name and is referred to everywhere else.
 */
export class ComponentSchemas {
  readonly #schemas = new Map<string, JsonSchema>();

  /** `input`: what a client sends, defaults optional. `output`: what the service answers. */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const {
      $schema: _,
      $defs,
      ...root
    } = z.toJSONSchema(schema, {
      io,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        // Clients must expect new fields, so an answer's schema does not forbid them.
        if (io === 'output' && jsonSchema.additionalProperties === false)
          delete jsonSchema.additionalProperties;
        if (jsonSchema.description === '') delete jsonSchema.description;
        dropLanguageBounds(jsonSchema);
      },
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [name, definition] of Object.entries($defs ?? {})) this.#add(name, withoutId(definition));
    const id = z.globalRegistry.get(schema)?.id;
    if (id === undefined) return pointed(root);
    if (root.$ref === undefined) this.#add(id, withoutId(root));
    return { $ref: `${COMPONENT}${id}` };
  }

  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => a.localeCompare(b)));
  }

  /** One name means one schema: sent and answered forms that differ must have names of their own. */
  #add(name: string, definition: JsonSchema): void {
    const schema = pointed(definition);
    const known = this.#schemas.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`the schema name ${name} stands for two different schemas`);
    }
    this.#schemas.set(name, schema);
  }
}

function withoutId({ id: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** With references to components in place of references to the schema's own definitions. */
function pointed(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(LOCAL)
      ? COMPONENT + value.slice(LOCAL.length)
      : value,
  ) as JsonSchema;
}
