import { z } from 'zod';

/** A process of the platform, and the file that declares its environment. */
export interface ConfiguredProcess {
  readonly name: string;
  /** Source file, relative to the root; it exports a zod object `environment`. */
  readonly file: string;
  /** Handed from set-up to the process; nobody else sets them. */
  readonly internal?: readonly string[];
}

/** Every process whose `config.ts` declares an environment. */
export const PROCESSES: readonly ConfiguredProcess[] = [
  { name: '`npm start`', file: 'infra/launcher/config.ts', internal: ['SETUP_STARTED_AT'] },
  { name: 'control plane', file: 'control-plane/src/config.ts' },
  { name: 'worker', file: 'media-plane/src/config.ts' },
  { name: 'simulated carrier', file: 'infra/simulated-carrier/config.ts' },
  { name: 'command line', file: 'infra/cli/config.ts' },
  { name: '`npm run models`', file: 'infra/models/config.ts' },
  { name: '`npm run mediasoup`', file: 'infra/mediasoup-worker/config.ts' },
  { name: '`npm run chromium`', file: 'infra/chromium/config.ts' },
];

/** What a process's schema says of one variable. */
export interface DeclaredVariable {
  readonly name: string;
  readonly process: string;
  /** The process refuses to start without it. */
  readonly isRequired: boolean;
  /** What the process takes when it is not set; undefined where the schema holds none. */
  readonly default: string | undefined;
}

const configModule = z.object({
  environment: z.custom<z.ZodObject>((value) => value instanceof z.ZodObject),
});

/** Reads what the schemas declare. `load` imports a source file of the repository, or what is built of it. */
export async function declaredVariables(
  load: (file: string) => Promise<unknown>,
  processes: readonly ConfiguredProcess[] = PROCESSES,
): Promise<DeclaredVariable[]> {
  const declared: DeclaredVariable[] = [];
  for (const { name: process, file, internal = [] } of processes) {
    const { environment } = configModule.parse(await load(file), {
      error: () => `${file}: expected an exported zod object “environment”`,
    });
    for (const [name, schema] of Object.entries(environment.shape)) {
      if (!internal.includes(name)) declared.push({ name, process, ...whenUnset(schema as z.ZodType) });
    }
  }
  return declared;
}

function whenUnset(schema: z.ZodType): Pick<DeclaredVariable, 'isRequired' | 'default'> {
  const parsed = schema.safeParse(undefined);
  if (!parsed.success) return { isRequired: true, default: undefined };
  const value: unknown = parsed.data;
  if (value === undefined) return { isRequired: false, default: undefined };
  // A default that is parsed, too, is documented as it would be typed: in seconds, not in what they become.
  const typed = schema instanceof z.ZodPrefault ? schema.def.defaultValue : value;
  return { isRequired: false, default: written(typed) };
}

/** Returns the value as it is written in the environment: lists by comma, switches as `on` and `off`. */
function written(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return Array.isArray(value) ? value.join(',') : String(value);
}
