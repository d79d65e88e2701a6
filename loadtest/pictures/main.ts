import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';

const USAGE = `Usage: npm run pictures -- [--only PATTERN]

Takes a picture of every page of the dashboard at 375 and 1280 px in both themes, empty, filled, loading and failed,
and of its dialogs, and puts them on sheets. They are in control-plane/dashboard/pictures.

  --only PATTERN   those alone whose names fit the regular expression, as calls or -error
`;
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  // With the browser's library, which the help does not wait for.
  const { takePictures } = await import('./take-pictures.js');
  return takePictures(new RegExp(values.only ?? ''));
}

runProgram(main, { name: 'pictures' });
