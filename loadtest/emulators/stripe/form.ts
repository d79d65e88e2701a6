/** A value of a form with brackets: `line_items[0][price_data][currency]=usd`. */
type FormValue = string | { readonly [key: string]: FormValue };
export type Form = { readonly [key: string]: FormValue };

const NAME = /^([a-z_0-9]+)((?:\[[A-Za-z_0-9]+\])*)$/;

/** Reads a form body as Stripe does; null when a name cannot be read or is both a value and an object. */
export function parseForm(body: string): Form | null {
  const root: Record<string, FormValue> = {};
  for (const [name, value] of new URLSearchParams(body)) {
    const match = NAME.exec(name);
    if (!match) return null;
    const path = [match[1]!, ...[...(match[2] ?? '').matchAll(/\[(\w+)\]/g)].map(([, key]) => key!)];
    if (!put(root, path, value)) return null;
  }
  return root;
}

function put(into: Record<string, FormValue>, path: readonly string[], value: string): boolean {
  const [key, ...rest] = path;
  if (key === undefined || key === '__proto__') return false;
  if (rest.length === 0) {
    if (Object.hasOwn(into, key)) return false;
    into[key] = value;
    return true;
  }
  const inner = Object.hasOwn(into, key) ? into[key] : {};
  if (typeof inner !== 'object') return false;
  into[key] = inner;
  return put(inner as Record<string, FormValue>, rest, value);
}

/** Returns the names of all values, with the numbers of lists as `*`: `line_items[*][quantity]`. */
export function namesOf(form: Form, prefix = ''): string[] {
  return Object.entries(form).flatMap(([key, value]) => {
    const step = /^\d+$/.test(key) ? '*' : key;
    const name = prefix === '' ? step : `${prefix}[${step}]`;
    return typeof value === 'string' ? [name] : namesOf(value, name);
  });
}

/** Returns the text at a path; undefined when there is none. */
export function textAt(form: Form, ...path: readonly string[]): string | undefined {
  let value: FormValue | undefined = form;
  for (const key of path) {
    if (typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return typeof value === 'string' ? value : undefined;
}
