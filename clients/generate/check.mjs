// `npm run check` runs this: the description of the API as the npm tools read it, and whether the clients are what they
// would be made of it. One process: composing the whole API takes longer than either.
import { describedApi } from '../../control-plane/dist/openapi-check/described-api.js';
import { problemsOf } from '../../control-plane/dist/openapi-check/linters.js';
import { problemLine } from '../../control-plane/dist/openapi-check/problem.js';
import { generatedFiles, staleFiles } from './generated.mjs';

const api = await describedApi();
const stale = staleFiles(generatedFiles(api).files);
const problems = await problemsOf(api);
for (const problem of problems) console.error(problemLine(problem));
if (stale.length > 0) {
  console.error(
    `clients: not what the API says of itself now: ${stale.join(', ')}. Run \`npm run clients\`.`,
  );
}
process.exit(problems.length + stale.length > 0 ? 1 : 0);
