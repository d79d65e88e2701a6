/** What a tool has against the description. */
export interface Problem {
  readonly tool: string;
  /** The tool's own name of the rule. */
  readonly rule: string;
  /** Where in the description, as a JSON pointer or path. */
  readonly at: string;
  readonly message: string;
}

/** What no description can help: an endless WebSocket answers 101 and nothing else. */
const UPGRADE = /[/~1]listen\b/;

const ACCEPTED: readonly { readonly rule: string; readonly at: RegExp }[] = [
  { rule: 'operation-2xx-response', at: UPGRADE },
  { rule: 'operation-success-response', at: UPGRADE },
  // A summary says all of some operations.
  { rule: 'operation-description', at: /.*/ },
  // Who runs an installation is not known here.
  { rule: 'info-contact', at: /.*/ },
];

export function isAccepted({ rule, at }: Problem): boolean {
  return ACCEPTED.some((accepted) => accepted.rule === rule && accepted.at.test(at));
}

export function problemLine({ tool, rule, at, message }: Problem): string {
  return `${tool} ${rule} at ${at}: ${message}`;
}
