export interface ParamField {
  readonly name: string;
  readonly hint: string;
  readonly type: 'string' | 'number' | 'boolean';
  /** What can be chosen; null where anything may be entered. */
  readonly options: readonly string[] | null;
}

interface PropertySchema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
}

/** The plain fields of a provider's parameters, from their JSON Schema; what is nested is left to the API. */
export function paramFields(schema: Readonly<Record<string, unknown>>): readonly ParamField[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, PropertySchema>>;
  return Object.entries(properties).flatMap(
    ([name, { type, enum: values, description = '' }]): ParamField[] => {
      const kind = type === 'integer' ? 'number' : type;
      if (kind !== 'string' && kind !== 'number' && kind !== 'boolean') return [];
      const options =
        kind === 'boolean' ? ['true', 'false'] : values === undefined ? null : values.map(String);
      return [{ name, hint: description, type: kind, options }];
    },
  );
}

/** The parameters with one of them as it was entered; an empty one is left out, for its default. */
export function withParam(
  params: Readonly<Record<string, unknown>>,
  name: string,
  type: ParamField['type'],
  text: string,
): Record<string, unknown> {
  const { [name]: _before, ...others } = params;
  if (text === '') return others;
  if (type === 'boolean') return { ...others, [name]: text === 'true' };
  // What is no number stays as it was written, so that the service can say so.
  const number = Number(text);
  return { ...others, [name]: type === 'number' && Number.isFinite(number) ? number : text };
}
