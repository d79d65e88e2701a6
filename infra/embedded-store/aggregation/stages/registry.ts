import type { BuildStage } from '../pipeline.js';
import { bucket } from './bucket.js';
import { group, sortByCount } from './group.js';
import { facet, lookup } from './join.js';
import { count, limit, match, skip, sort } from './order.js';
import { addFields, project, replaceRoot, unset } from './shape.js';
import { unwind } from './unwind.js';

/** Stages that MongoDB knows and this store does not support. */
export const REFUSED_STAGES: ReadonlySet<string> = new Set(
  `$changeStream $out $merge $geoNear $unionWith $graphLookup $bucketAuto $sample $densify $fill $setWindowFields
  $redact $indexStats $collStats $currentOp $planCacheStats $search $searchMeta $documents $listSessions
  $listLocalSessions $changeStreamSplitLargeEvent $vectorSearch`.split(/\s+/),
);

let table: ReadonlyMap<string, BuildStage> | undefined;

/** The stage of a name. The table is built at first use, since stages and pipeline refer to each other. */
export const stages = {
  get(name: string): BuildStage | undefined {
    table ??= new Map<string, BuildStage>([
      ['$match', match],
      ['$project', project],
      ['$addFields', addFields],
      ['$set', addFields],
      ['$unset', unset],
      ['$replaceRoot', replaceRoot],
      ['$replaceWith', replaceRoot],
      ['$group', group],
      ['$sortByCount', sortByCount],
      ['$bucket', bucket],
      ['$sort', sort],
      ['$limit', limit],
      ['$skip', skip],
      ['$count', count],
      ['$unwind', unwind],
      ['$facet', facet],
      ['$lookup', lookup],
    ]);
    return table.get(name);
  },
};
