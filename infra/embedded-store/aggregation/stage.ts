import type { Doc, Value } from '../bson/values.js';
import type { Filter } from '../query/filter.js';
import type { Checkpoint } from '../query/scan.js';
import type { ParseContext } from './evaluation.js';

/** Reads matching documents of another collection of the same database, for `$lookup`. */
export type Lookup = (collection: string, filter: Filter) => Iterable<Doc> | undefined;

export interface PipelineContext extends ParseContext {
  readonly lookup: Lookup;
  readonly checkpoint: Checkpoint;
}

/** A parsed stage or a whole pipeline: documents in, documents out, lazily where the stage allows. */
export type Stage = (input: Iterable<Doc>) => Iterable<Doc>;

export type ParsePipeline = (list: readonly Value[], context: PipelineContext) => Stage;

/** Builds a stage from its argument; `parse` is for stages that hold pipelines themselves. */
export type BuildStage = (
  argument: Value,
  context: PipelineContext,
  name: string,
  parse: ParsePipeline,
) => Stage;
