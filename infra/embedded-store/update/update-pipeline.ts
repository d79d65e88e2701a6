import { type PipelineContext, parsePipeline } from '../aggregation/pipeline.js';
import { STAGES } from '../aggregation/stages/registry.js';
import { type Doc, isDoc, type Value } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';
import { BASE_CONTEXT } from '../expressions/operators/registry.js';

/** Stages that an update may use: those that change one document at a time. */
const ALLOWED = new Set(['$set', '$addFields', '$unset', '$project', '$replaceRoot', '$replaceWith']);

/** Parses an update given as a pipeline; the result gives the changed document. */
export function parsePipelineUpdate(stages: readonly Value[]): (document: Doc, now: number) => Doc {
  for (const stage of stages) {
    const name = isDoc(stage) ? stage.keys().next().value : undefined;
    if (name === undefined || !ALLOWED.has(name)) {
      throw new CommandError(codes.InvalidOptions, `${name} is not allowed to be used within an update`);
    }
  }
  const parse = (now: number) => {
    const context: PipelineContext = {
      ...BASE_CONTEXT,
      stages: STAGES,
      now,
      lookup: () => undefined,
      checkpoint: () => undefined,
    };
    return parsePipeline(stages, context);
  };
  parse(0);
  return (document, now) => {
    const [result] = [...parse(now)([document])];
    if (result === undefined)
      throw new CommandError(codes.InternalError, 'an update pipeline gave no document');
    const id = document.get('_id');
    if (id === undefined || result.has('_id')) return result;
    return new Map([['_id', id], ...result]);
  };
}
