import { writeFileSync } from 'node:fs';
import { coverageTable, TABLE } from './coverage-table.js';

writeFileSync(TABLE, coverageTable());
process.stdout.write(`${TABLE}\n`);
