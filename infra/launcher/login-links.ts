import type { LoginPage } from '../installation/api-client.js';

export interface LoginLinks {
  readonly dashboard: string | undefined;
  readonly talk: string | undefined;
}

export interface LoginLinksOptions {
  /** Whether the banner goes to a terminal. */
  readonly isTerminal: boolean;
  /** Makes a one-time link; rejects when none can be made. */
  readonly create: (page: LoginPage) => Promise<string>;
  /** Says why there is none. */
  readonly onError: (message: string) => void;
}

/**
 * Creates one-time links for the banner: for a person at a terminal, never for a log, by which others could sign in.
 */
export async function loginLinks({ isTerminal, create, onError }: LoginLinksOptions): Promise<LoginLinks> {
  const link = async (page: LoginPage): Promise<string | undefined> => {
    if (!isTerminal) return undefined;
    try {
      return await create(page);
    } catch (error) {
      onError(`no login link: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  return { dashboard: await link('dashboard'), talk: await link('talk') };
}
