import type { BuildStage, StageTable } from '../pipeline.js';
import { bucket } from './bucket.js';
import { group, sortByCount } from './group.js';
import { facet, lookup } from './join.js';
import { count, limit, match, skip, sort } from './order.js';
import { addFields, project, replaceRoot, unset } from './shape.js';
import { unwind } from './unwind.js';

/** Stages that MongoDB knows and this store does not support. */
const REFUSED_STAGES: ReadonlySet<string> = new Set(
  `$changeStream $out $merge $geoNear $unionWith $graphLookup $bucketAuto $sample $densify $fill $setWindowFields
  $redact $indexStats $collStats $currentOp $planCacheStats $search $searchMeta $documents $listSessions
  $listLocalSessions $changeStreamSplitLargeEvent $vectorSearch`.split(/\s+/),
);

/** Every stage by its name. */
export const STAGES: StageTable = {
  builders: new Map<string, BuildStage>([
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
  ]),
  refused: REFUSED_STAGES,
};
