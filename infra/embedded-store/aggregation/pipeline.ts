import { type Doc, isDoc, type Value } from '../bson/values.js';
import { CommandError, codes, notSupported } from '../errors/errors.js';
import type { ParseContext } from '../expressions/expression.js';
import type { Checkpoint } from '../planning/scan.js';
import type { Filter } from '../query/filter.js';

/** Reads matching documents of another collection of the same database, for `$lookup`. */
type Lookup = (collection: string, filter: Filter) => Iterable<Doc> | undefined;

export interface PipelineContext extends ParseContext {
  readonly stages: StageTable;
  readonly lookup: Lookup;
  readonly checkpoint: Checkpoint;
}

/** A parsed stage or a whole pipeline: documents in, documents out, lazily where the stage allows. */
export type Stage = (input: Iterable<Doc>) => Iterable<Doc>;

export type BuildStage = (argument: Value, context: PipelineContext, name: string) => Stage;

/** The stages that a pipeline may use. */
export interface StageTable {
  readonly builders: ReadonlyMap<string, BuildStage>;
  /** Stages that MongoDB knows and this store does not support. */
  readonly refused: ReadonlySet<string>;
}

/** Parses a pipeline. Throws 40324 for an unknown stage. */
export function parsePipeline(list: readonly Value[], context: PipelineContext): Stage {
  const parsed = list.map((item) => parseStage(item, context));
  return (input) => parsed.reduce<Iterable<Doc>>((documents, stage) => stage(documents), input);
}

function parseStage(item: Value, context: PipelineContext): Stage {
  if (!isDoc(item))
    throw new CommandError(codes.TypeMismatch, "Each element of the 'pipeline' array must be an object");
  if (item.size !== 1) {
    throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  const [name, argument] = item.entries().next().value as [string, Value];
  const { builders, refused } = context.stages;
  const build = builders.get(name);
  if (build !== undefined) return build(argument, context, name);
  if (refused.has(name)) throw notSupported(`the pipeline stage ${name}`, codes.UnrecognizedStage);
  throw new CommandError(codes.UnrecognizedStage, `Unrecognized pipeline stage name: '${name}'`);
}
