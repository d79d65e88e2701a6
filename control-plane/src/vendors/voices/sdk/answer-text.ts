/**
 * Writes out what the vendor answered without the members that are null: to the SDKs, most of what may be missing may not
 * be null. Undefined where there is no answer.
 */
export function answerText(json: unknown): string | undefined {
  return JSON.stringify(json, (_, value: unknown) => (value === null ? undefined : value));
}
