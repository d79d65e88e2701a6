import { type Doc, isDoc, type Value } from '../bson/values.js';
import { CommandError, codes, notSupported } from '../errors.js';
import type { PipelineContext, Stage } from './stage.js';
import { REFUSED_STAGES, stages } from './stages/registry.js';

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
  const build = stages.get(name);
  if (build !== undefined) return build(argument, context, name, parsePipeline);
  if (REFUSED_STAGES.has(name)) throw notSupported(`the pipeline stage ${name}`, codes.UnrecognizedStage);
  throw new CommandError(codes.UnrecognizedStage, `Unrecognized pipeline stage name: '${name}'`);
}
