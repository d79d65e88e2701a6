import { type Description, type Schema, schemaOf } from './description.js';
import { type Html, html } from './html.js';
import { renderInline } from './markdown.js';

/** Objects within objects are unfolded to this depth; what is deeper is said by its type. */
const DEEPEST = 4;

const NAMED_FORMATS: Readonly<Record<string, string>> = {
  uuid: 'UUID',
  'date-time': 'RFC 3339',
  uri: 'URL',
  email: 'e-mail address',
};
const E164 = '^\\+[1-9]\\d{1,14}$';

/** Names a schema's type as a reader would: `string (UUID)`, `array of object`, `string or null`. */
function typeName(api: Description, schema: Schema): string {
  const it = schemaOf(api, schema);
  const choices = it.oneOf ?? it.anyOf;
  if (choices !== undefined) return [...new Set(choices.map((choice) => typeName(api, choice)))].join(' or ');
  if (it.const !== undefined) return JSON.stringify(it.const);
  if (it.type === 'array') return `array of ${it.items === undefined ? 'anything' : typeName(api, it.items)}`;
  const type = Array.isArray(it.type) ? it.type.join(' or ') : (it.type ?? 'anything');
  if (it.pattern === E164) return `${type} (E.164)`;
  return it.format !== undefined && it.format in NAMED_FORMATS
    ? `${type} (${NAMED_FORMATS[it.format]})`
    : String(type);
}

/** What a value must hold to, beside its type. */
function bounds(it: Schema): string {
  const between = (least: number | undefined, most: number | undefined, of: string) => {
    // What JavaScript can hold exactly is no bound that anybody set.
    const [from, to] = [least, most === Number.MAX_SAFE_INTEGER ? undefined : most];
    if (from !== undefined && to !== undefined) return `${from} to ${to}${of}`;
    if (to !== undefined) return `at most ${to}${of}`;
    return from === undefined || from === Number.MIN_SAFE_INTEGER ? '' : `at least ${from}${of}`;
  };
  return [
    between(it.minimum, it.maximum, ''),
    between(it.minLength, it.maxLength, ' characters'),
    between(it.minItems, it.maxItems, ' entries'),
  ]
    .filter((text) => text !== '')
    .join(', ');
}

/** Values that are worth a line: a default of nothing is none. */
const worthSaying = (value: unknown) =>
  value !== undefined && value !== null && !['{}', '[]', '""'].includes(JSON.stringify(value));

interface FieldOptions {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly description?: string | undefined;
}

/** Renders one field or parameter: its name, type, bounds and meaning, with what is in it behind a fold. */
export function field(
  api: Description,
  { name, schema, required, description }: FieldOptions,
  depth = 0,
): Html {
  const it = schemaOf(api, schema);
  const limits = bounds(it);
  const text = description ?? it.description ?? schema.description ?? '';
  const values = it.enum ?? it.items?.enum;
  return html`<div class="field"><dt><code>${name}</code> <span class="type">${typeName(api, schema)}</span>${required ? html` <span class="required">required</span>` : null}</dt><dd>${text === '' ? null : html`<p>${renderInline(text)}</p>`}${values === undefined ? null : html`<p class="muted">One of ${values.map((value, n) => html`${n === 0 ? '' : ', '}<code>${String(value)}</code>`)}.</p>`}${limits === '' ? null : html`<p class="muted">${limits}</p>`}${worthSaying(it.default) ? html`<p class="muted">Default: <code>${JSON.stringify(it.default)}</code></p>` : null}${unfolded(api, it, depth + 1)}</dd></div>`;
}

/** Renders an object's fields. */
export function fields(api: Description, schema: Schema, depth = 0): Html {
  const it = schemaOf(api, schema);
  const required = new Set(it.required);
  return html`<dl class="fields">${Object.entries(it.properties ?? {}).map(([name, property]) =>
    field(api, { name, schema: property, required: required.has(name) }, depth),
  )}</dl>`;
}

/** How a form of several is named: by its own `type`, or by what it is called. */
function formName(api: Description, form: Schema): string {
  const type = schemaOf(api, form).properties?.type?.const;
  if (type !== undefined) return String(type);
  return form.$ref === undefined ? typeName(api, form) : form.$ref.slice(form.$ref.lastIndexOf('/') + 1);
}

/** Objects in a field, folded; nothing for what has no fields. */
function unfolded(api: Description, it: Schema, depth: number): Html | null {
  if (depth > DEEPEST) return null;
  const inner = it.type === 'array' && it.items !== undefined ? schemaOf(api, it.items) : it;
  if (inner.properties !== undefined && Object.keys(inner.properties).length > 0) {
    return html`<details><summary>Fields</summary>${fields(api, inner, depth)}</details>`;
  }
  const forms = (inner.oneOf ?? inner.anyOf ?? []).filter(
    (form) => schemaOf(api, form).properties !== undefined,
  );
  if (forms.length === 0) {
    const values = inner.additionalProperties;
    return typeof values === 'object' ? unfolded(api, schemaOf(api, values), depth) : null;
  }
  return html`${forms.map((form) => html`<details><summary>${forms.length === 1 ? 'Fields' : formName(api, form)}</summary>${fields(api, form, depth)}</details>`)}`;
}
