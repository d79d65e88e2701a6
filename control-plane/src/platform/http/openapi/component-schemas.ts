import { z } from 'zod';
import { dropPatternsOfFormats, type JsonSchema } from './json-schema.js';
import { NamedParts } from './named-parts.js';
import { dropLanguageBounds } from './number-bounds.js';
import { PropertyWords } from './property-words.js';
import { RESPONSE_EXAMPLES } from './response-examples.js';

export type { JsonSchema } from './json-schema.js';

const LOCAL = '#/$defs/';
const COMPONENT = '#/components/schemas/';
type Direction = 'input' | 'output';

/**
 * Turns zod schemas into OpenAPI 3.1 schemas (JSON Schema 2020-12). A schema with `.meta({ id })` becomes a
 * component under that name and is referred to everywhere else; so does every object within one (`NamedParts`).
 */
export class ComponentSchemas {
  readonly #schemas = new Map<string, JsonSchema>();
  readonly #words = new PropertyWords();
  /** Schemas with a name that are components already: an error's is asked for with every route. */
  readonly #added = { input: new Set<z.ZodType>(), output: new Set<z.ZodType>() };

  /**
   * `input`: what a client sends, defaults optional. `output`: what the service answers. `place` names the schema
   * where it has no name of its own.
   */
  of(schema: z.ZodType, io: Direction, place?: string): JsonSchema {
    const id = z.globalRegistry.get(schema)?.id;
    if (id !== undefined && this.#added[io].has(schema)) return { $ref: `${COMPONENT}${id}` };
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
        dropPatternsOfFormats(jsonSchema);
      },
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [name, definition] of Object.entries($defs ?? {})) this.#addNamed(name, definition, io);
    if (id === undefined) return place === undefined ? pointed(root) : this.ofJson(pointed(root), io, place);
    if (root.$ref === undefined) this.#addNamed(id, root, io);
    this.#added[io].add(schema);
    return { $ref: `${COMPONENT}${id}` };
  }

  /** Returns the same of a JSON Schema that was made elsewhere. */
  ofJson(schema: JsonSchema, io: Direction, place: string): JsonSchema {
    return this.#parts(io).at(place, schema);
  }

  all(): Record<string, JsonSchema> {
    const sorted = [...this.#schemas].sort(([a], [b]) => a.localeCompare(b));
    return Object.fromEntries(sorted.map(([name, schema]) => [name, exemplified(name, schema)]));
  }

  #addNamed(name: string, { id: _, ...definition }: JsonSchema, io: Direction): void {
    this.add(name, this.#parts(io).contentOf(name, pointed(definition)));
  }

  #parts(io: Direction): NamedParts {
    return new NamedParts({ io, words: this.#words, add: (name, schema) => this.add(name, schema) });
  }

  /** One name means one schema: sent and answered forms that differ must have names of their own. */
  add(name: string, schema: JsonSchema): void {
    const known = this.#schemas.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(
        `the schema name ${name} stands for two different schemas: give one of them another \`.meta({ id })\` ` +
          'or `.meta({ title })`',
      );
    }
    this.#schemas.set(name, schema);
  }
}

function exemplified(name: string, schema: JsonSchema): JsonSchema {
  const whole = Object.hasOwn(RESPONSE_EXAMPLES, name) ? RESPONSE_EXAMPLES[name] : undefined;
  return whole === undefined ? schema : { ...schema, examples: [whole] };
}

/** Returns the schema with references to components in place of references to the schema's own definitions. */
function pointed(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(LOCAL)
      ? COMPONENT + value.slice(LOCAL.length)
      : value,
  ) as JsonSchema;
}
