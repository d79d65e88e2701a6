import { existsSync } from 'node:fs';
import type { Environment } from '../environment/environment.js';
import { optionalText } from '../environment/parsers.js';

/** The environment variable that says where the browser of the tests is. */
export const chromiumVariables = {
  /** A Chromium or Chrome of your own: none is installed. */
  CHROMIUM: optionalText,
};

/** Where Debian's package puts the browser without a window: half the processor time of the one that can have one. */
const WITHOUT_WINDOW = '/usr/bin/chromium-headless-shell';
/** Where it puts the other, which is as good where it is there already. */
const WITH_WINDOW = '/usr/bin/chromium';

/** Gives the path of the tests' browser by the variables, parsed or raw; whether it is there is another matter. */
export const chromiumPath = (
  { CHROMIUM }: { readonly CHROMIUM?: string | undefined } | Environment,
  isThere: (path: string) => boolean = existsSync,
): string => CHROMIUM || (!isThere(WITHOUT_WINDOW) && isThere(WITH_WINDOW) ? WITH_WINDOW : WITHOUT_WINDOW);
