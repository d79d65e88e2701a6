/**
 * A tool's secret headers as they are sent to the service: null keeps the value that is stored under the name;
 * `undefined`: all stay as they are.
 */
export type SentHeaders = Readonly<Record<string, string | null>> | undefined;

/** The names of stored headers that stay. */
export const keptNames = (stored: readonly string[], sent: SentHeaders): readonly string[] =>
  sent === undefined ? stored : stored.filter((name) => sent[name] === null);

/** The headers of which a value was entered. */
export const enteredHeaders = (sent: SentHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(sent ?? {}).filter((entry): entry is [string, string] => entry[1] !== null),
  );

/** What is sent for the stored ones that stay and those that were entered, which replace stored ones of their names. */
export function sentHeaders(
  stored: readonly string[],
  kept: readonly string[],
  entered: Readonly<Record<string, string>>,
): SentHeaders {
  if (kept.length === stored.length && Object.keys(entered).length === 0) return undefined;
  return { ...Object.fromEntries(kept.map((name) => [name, null])), ...entered };
}
