import type { Environment } from '../environment/environment.js';
import { optionalText } from '../environment/parsers.js';

/** The environment variable that says where the browser of the tests is. */
export const chromiumVariables = {
  /** A Chromium or Chrome of your own: none is installed. */
  CHROMIUM: optionalText,
};

/** Where Debian's package puts it. */
const DEBIANS = '/usr/bin/chromium';

/** Gives the path of the tests' browser by the variables, parsed or raw; whether it is there is another matter. */
export const chromiumPath = ({
  CHROMIUM,
}: { readonly CHROMIUM?: string | undefined } | Environment): string => CHROMIUM || DEBIANS;
