/** What decides whether a browser is opened. */
export interface BrowserFacts {
  /** Whether a person reads what is printed. */
  readonly isTerminal: boolean;
  /** `OPEN_BROWSER`. */
  readonly isWanted: boolean;
  readonly platform: NodeJS.Platform;
  /** Of the environment: `CI`, `DISPLAY`, `WAYLAND_DISPLAY` and `SSH_CONNECTION` say where the command runs. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether there is a program that opens an address. */
  readonly hasOpener: boolean;
  /** Whether anybody was signed in to the installation before. */
  readonly wasSignedIn: boolean;
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';

/**
 * Decides whether the dashboard opens by itself: for a person who sees it, the first time alone. Never in CI, nor by
 * ssh unless a display came along. Pure.
 */
export function opensBrowser({ env, platform, ...facts }: BrowserFacts): boolean {
  if (!facts.isWanted || !facts.isTerminal || !facts.hasOpener || facts.wasSignedIn) return false;
  if (isSet(env.CI) && env.CI !== 'false') return false;
  // macOS has its display without saying so; who comes by ssh does not sit before it.
  if (platform === 'darwin') return !isSet(env.SSH_CONNECTION);
  return isSet(env.DISPLAY) || isSet(env.WAYLAND_DISPLAY);
}
