export interface ParamField {
  readonly name: string;
  readonly label: string;
  /** What it does, and between which numbers it lies. */
  readonly hint: string;
  readonly type: 'string' | 'number' | 'boolean';
  /** What can be chosen; null where anything may be entered. */
  readonly options: readonly string[] | null;
  /** What holds when nothing is entered; empty where the provider decides. */
  readonly fallback: string;
  readonly isSecret: boolean;
  /** Whether `null` can be entered, which is not the same as nothing. */
  readonly isNullable: boolean;
}

interface PropertySchema {
  readonly type?: unknown;
  readonly anyOf?: readonly PropertySchema[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface WithParams {
  readonly known_models: readonly {
    readonly family: string;
    readonly params_schema: Readonly<Record<string, unknown>>;
  }[];
  readonly params_schema: Readonly<Record<string, unknown>>;
  readonly default_model: string | null;
}

/** The JSON Schema of a model's parameters: of the longest family that its name begins with. */
export function paramsSchemaOf(provider: WithParams, model: string): Readonly<Record<string, unknown>> {
  const name = model || (provider.default_model ?? '');
  const [known] = provider.known_models
    .filter(({ family }) => name.startsWith(family))
    .sort((one, other) => other.family.length - one.family.length);
  return known?.params_schema ?? provider.params_schema;
}

/** The plain fields of a provider's parameters, from their JSON Schema; what is nested is left to the API. */
export function paramFields(schema: Readonly<Record<string, unknown>>): readonly ParamField[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, PropertySchema>>;
  return Object.entries(properties).flatMap(([name, property]): ParamField[] => {
    const { description = '', default: fallback = '' } = property;
    const alternatives = property.anyOf ?? [property];
    const [plain] = alternatives.filter(({ type }) => kindOf(type) !== undefined);
    const kind = kindOf(plain?.type);
    if (plain === undefined || kind === undefined) return [];
    const { enum: values, format } = plain;
    const options = kind === 'boolean' ? ['true', 'false'] : values === undefined ? null : values.map(String);
    return [
      {
        name,
        label: labelOf(name),
        hint: [description, rangeOf(plain)].filter((text) => text !== '').join(' '),
        type: kind,
        options,
        fallback: String(fallback),
        isSecret: format === 'password',
        isNullable: alternatives.some(({ type }) => type === 'null'),
      },
    ];
  });
}

function kindOf(type: unknown): ParamField['type'] | undefined {
  if (type === 'integer') return 'number';
  return type === 'string' || type === 'number' || type === 'boolean' ? type : undefined;
}

/** Parts of names that are no words. */
const WORDS: Readonly<Record<string, string>> = {
  api: 'API',
  url: 'URL',
  id: 'ID',
  ms: '(ms)',
  vad: 'VAD',
  eot: 'end-of-turn',
  mip: 'model improvement',
  p: 'P',
  k: 'K',
};

/** A name of the API as people write it: `voice_id` is "Voice ID". */
function labelOf(name: string): string {
  const words = name.split('_').map((word) => WORDS[word] ?? word);
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** No vendor has a limit beyond it: such a number only says that it is whole. */
const NO_LIMIT = 1e9;

function rangeOf({ minimum, maximum }: PropertySchema): string {
  if (minimum === undefined || maximum === undefined || maximum > NO_LIMIT) return '';
  return `From ${minimum} to ${maximum}.`;
}

/** The parameters with one of them as it was entered; an empty one is left out, for its default. */
export function withParam(
  params: Readonly<Record<string, unknown>>,
  { name, type, isNullable }: Pick<ParamField, 'name' | 'type' | 'isNullable'>,
  text: string,
): Record<string, unknown> {
  const { [name]: _before, ...others } = params;
  if (text === '') return others;
  if (text === 'null' && isNullable) return { ...others, [name]: null };
  if (type === 'boolean') return { ...others, [name]: text === 'true' };
  // What is no number stays as it was written, so that the service can say so.
  const number = Number(text);
  return { ...others, [name]: type === 'number' && Number.isFinite(number) ? number : text };
}
