const ACRONYMS = /\b(?:ai|api|dtmf|hr|id|llm|sip|sms|stt|tts|url)\b/g;

/** `NO_ANSWER` → `No answer`, `hr` → `HR`: a value of an enumeration as a label. */
export function label(value: string): string {
  const words = value
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(ACRONYMS, (acronym) => acronym.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `1 call`, `3 calls`, `1,204 calls`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? singular : plural}`;
}
