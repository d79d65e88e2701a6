import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** What does not shrink any more is left as it is. */
const COMPRESSIBLE = ['**/*.js', '**/*.css', '**/*.svg'];

/**
 * Writes a brotli and a gzip copy beside each file of a folder, which the control plane serves as they are.
 * @param {string} folder
 */
export async function compressAll(folder) {
  const files = globSync(COMPRESSIBLE, { cwd: folder }).map((file) => `${folder}/${file}`);
  await Promise.all(
    files.map(async (file) => {
      const bytes = readFileSync(file);
      const [br, zipped] = await Promise.all([
        promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
        promisify(gzip)(bytes, { level: 9 }),
      ]);
      writeFileSync(`${file}.br`, br);
      writeFileSync(`${file}.gz`, zipped);
    }),
  );
}
