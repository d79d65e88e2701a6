import {
  isNull,
  isSchema,
  type JsonSchema,
  optionsOf,
  pascal,
  singular,
  withPlainNull,
} from './json-schema.js';
import type { PropertyWords } from './property-words.js';

const COMPONENT = '#/components/schemas/';

export interface NamedPartsOptions {
  /** What is sent and what is answered differ (defaults, unknown fields): a shared name has a form of each. */
  readonly io: 'input' | 'output';
  readonly words: PropertyWords;
  /** Takes a component; throws when the name stands for another schema already. */
  readonly add: (name: string, schema: JsonSchema) => void;
}

/** The name of a part: of its owner alone, or (`shared`, by a `title`) of every owner that has it. */
interface PartName {
  readonly base: string;
  readonly shared: boolean;
}

/**
 * Moves every object and every choice between objects within a schema to a component of its own, so that
 * generated clients have a type with a stable name for it: its `title` (`.meta({ title })`, with `Input` for the
 * form that is sent), else the name of its owner and its place there, such as `CampaignCreateRetryPolicy`.
 */
export class NamedParts {
  constructor(private readonly options: NamedPartsOptions) {}

  /** Returns the content of the component `name`, its parts replaced by references. */
  contentOf(name: string, schema: JsonSchema): JsonSchema {
    const { title: _, ...content } = schema;
    return this.#withParts(content, { base: name, shared: false });
  }

  /** Returns the schema at a place that is called `name`: a reference where it is worth a name. */
  at(name: string, schema: JsonSchema): JsonSchema {
    return this.#part(schema, { base: name, shared: false });
  }

  #part(given: JsonSchema, place: PartName): JsonSchema {
    const { title, ...schema } = withPlainNull(given);
    const name = typeof title === 'string' ? { base: title, shared: true } : place;
    const content = this.#withParts(schema, name);
    if (!this.#worthName(content, name)) return withoutObjectDefault(content);
    const { description, default: preset, examples: _, ...component } = content;
    const { base, shared } = name;
    const sent = shared && this.options.io === 'input' && !('enum' in component);
    const full = sent ? `${base}Input` : base;
    this.options.add(full, component);
    return withoutObjectDefault({
      $ref: COMPONENT + full,
      ...(description === undefined ? {} : { description }),
      ...(preset === undefined ? {} : { default: preset }),
    });
  }

  #worthName(schema: JsonSchema, { shared }: PartName): boolean {
    if ('$ref' in schema) return false;
    if (isSchema(schema.properties)) return Object.keys(schema.properties).length > 0;
    if ('enum' in schema) return shared;
    return 'discriminator' in schema;
  }

  /** Returns the schema with each of its own parts named. */
  #withParts(schema: JsonSchema, name: PartName): JsonSchema {
    const of = (base: string) => ({ ...name, base });
    const made: JsonSchema = { ...schema };
    if (isSchema(schema.properties)) {
      made.properties = Object.fromEntries(
        Object.entries(schema.properties).map(([property, value]) => {
          const described = this.options.words.described(name.base, property, value as JsonSchema);
          const part = this.#part(described, of(name.base + pascal(property)));
          return [property, this.options.words.exemplified(name.base, property, part)];
        }),
      );
    }
    if (isSchema(schema.items)) made.items = this.#part(schema.items, of(singular(name.base)));
    if (isSchema(schema.additionalProperties) && Object.keys(schema.additionalProperties).length > 0) {
      made.additionalProperties = this.#part(schema.additionalProperties, of(`${name.base}Value`));
    }
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      if (Array.isArray(schema[keyword])) Object.assign(made, this.#union(schema, keyword, name));
    }
    return made;
  }

  #union(schema: JsonSchema, keyword: 'oneOf' | 'anyOf', name: PartName): JsonSchema {
    const options = optionsOf(schema)!;
    const discriminating = options.length > 1 ? discriminatorOf(options) : undefined;
    const mapping: Record<string, string> = {};
    let position = 0;
    const parts = (schema[keyword] as JsonSchema[]).map((option) => {
      if (isNull(option)) return option;
      position += 1;
      if (options.length === 1) return this.#part(option, name);
      const value = discriminating && String(constOf(option, discriminating));
      const part = this.#part(option, { ...name, base: name.base + pascal(value ?? `option_${position}`) });
      if (value !== undefined && typeof part.$ref === 'string') mapping[value] = part.$ref;
      return part;
    });
    if (discriminating === undefined) return { [keyword]: parts };
    return { [keyword]: parts, discriminator: { propertyName: discriminating, mapping } };
  }
}

function constOf(option: JsonSchema, property: string): unknown {
  const properties = option.properties as Record<string, JsonSchema> | undefined;
  return properties?.[property]?.const;
}

/** Returns the property that has a value of its own in every option. */
function discriminatorOf(options: readonly JsonSchema[]): string | undefined {
  const [first] = options;
  return Object.keys((first?.properties as object | undefined) ?? {}).find((property) => {
    const values = options.map((option) => constOf(option, property));
    return values.every((value) => typeof value === 'string') && new Set(values).size === values.length;
  });
}

/** Generators know no default of an object: it is said in words, and an empty one by its members' own defaults. */
function withoutObjectDefault(schema: JsonSchema): JsonSchema {
  const { default: preset, ...rest } = schema;
  const refers = '$ref' in schema || (optionsOf(schema) ?? []).some((option) => '$ref' in option);
  const holdsObjects = Array.isArray(preset) && preset.some(isSchema);
  if (!(refers && isSchema(preset)) && !holdsObjects) return schema;
  if (isSchema(preset) && Object.keys(preset).length === 0) return rest;
  const said = [rest.description, `Default: \`${JSON.stringify(preset)}\`.`].filter(Boolean).join(' ');
  return { ...rest, description: said };
}
