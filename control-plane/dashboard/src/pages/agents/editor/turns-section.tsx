import type { ReactNode } from 'react';
import { type FieldPath, get, useFormContext } from 'react-hook-form';
import { latency } from '../../../format/time.js';
import { Field, Input, Select } from '../../../ui/field.js';
import { type AgentForm, RANGES } from './form.js';
import { sliderOf } from './slider.js';

/** When the agent answers, and what interrupts it: in plain words, with a picture of each. */
export function TurnsSection(): ReactNode {
  const { register, watch, formState } = useFormContext<AgentForm>();
  const turns = watch('turn_taking');
  const isRealtime = watch('voice_config.realtime') !== undefined;
  const errors = formState.errors.turn_taking;
  return (
    <div className="flex flex-col gap-6">
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-1 font-semibold">When the agent answers</legend>
        <Picture
          label={`After the caller's last word the agent waits ${latency(turns.min_endpointing_ms)}; in doubt up to ${latency(turns.max_endpointing_ms)}.`}
          parts={[
            ['Caller speaks', 900, 'bg-caller'],
            [`waits ${latency(turns.min_endpointing_ms)}`, turns.min_endpointing_ms, 'bg-line-strong'],
            ['Agent answers', 900, 'bg-agent'],
          ]}
        />
        <Milliseconds
          name="turn_taking.min_endpointing_ms"
          label="Pause that ends a turn"
          hint="Shorter is quicker, and cuts in on people who think while they speak."
          range={RANGES.min_endpointing_ms}
          error={errors?.min_endpointing_ms?.message}
        />
        <Milliseconds
          name="turn_taking.max_endpointing_ms"
          label="Longest pause"
          hint="After that the agent answers, even if the sentence sounds unfinished."
          range={RANGES.max_endpointing_ms}
          error={errors?.max_endpointing_ms?.message}
        />
        {isRealtime ? (
          <Field
            label="Who finds the end of a turn"
            hint="The provider's own detection goes by its own settings; the longest pause stays the limit."
          >
            {(ids) => (
              <Select {...ids} {...register('turn_taking.turn_detection')} className="max-w-sm">
                <option value="service">This service, by the pause above</option>
                <option value="provider">The provider</option>
              </Select>
            )}
          </Field>
        ) : (
          <Field
            label="Listen to how speech ends"
            hint="A model on the worker shortens the pause where caller and words sound finished, and lengthens it where they do not."
          >
            {(ids) => (
              <Select {...ids} {...register('turn_taking.semantic_end_of_turn')} className="max-w-sm">
                <option value="off">No</option>
                <option value="on">Yes</option>
              </Select>
            )}
          </Field>
        )}
        <Field
          label="Prepare the answer early"
          hint="While the pause still runs. Nothing of it is heard before the turn is over; what is dropped costs a little."
        >
          {(ids) => (
            <Select {...ids} {...register('turn_taking.preemptive_generation')} className="max-w-sm">
              <option value="off">No</option>
              <option value="llm">The words</option>
              <option value="llm_and_voice">The words and their first sound</option>
            </Select>
          )}
        </Field>
      </fieldset>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-1 font-semibold">What interrupts the agent</legend>
        <Picture
          label={`The caller interrupts by ${turns.barge_in_min_words} words or ${latency(turns.barge_in_min_speech_ms)} of speech.`}
          parts={[
            ['Agent speaks', 1200, 'bg-agent'],
            [`caller, ${latency(turns.barge_in_min_speech_ms)}`, turns.barge_in_min_speech_ms, 'bg-caller'],
            ['Agent is silent', 900, 'bg-line-strong'],
          ]}
        />
        <Milliseconds
          name="turn_taking.barge_in_min_speech_ms"
          label="Speech that interrupts"
          hint="Shorter stops the agent sooner, also at a cough."
          range={RANGES.barge_in_min_speech_ms}
          error={errors?.barge_in_min_speech_ms?.message}
        />
        <Field
          label="Words that interrupt"
          hint="“Mhm” and “yes” while the agent speaks do not, when this is 2 or more."
          error={errors?.barge_in_min_words?.message}
        >
          {(ids) => (
            <Input
              {...ids}
              type="number"
              className="max-w-24"
              {...register('turn_taking.barge_in_min_words', { valueAsNumber: true })}
            />
          )}
        </Field>
      </fieldset>
    </div>
  );
}

function Milliseconds({
  name,
  label,
  hint,
  range,
  error,
}: {
  readonly name: FieldPath<AgentForm>;
  readonly label: string;
  readonly hint: string;
  readonly range: readonly [number, number];
  readonly error: string | undefined;
}): ReactNode {
  const { register, watch, formState } = useFormContext<AgentForm>();
  // By the value that the form began with: while it is moved the steps stay the same.
  const slider = sliderOf(Number(get(formState.defaultValues, name)), range);
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <div className="flex max-w-md items-center gap-3">
          <input
            {...ids}
            type="range"
            {...slider}
            className="flex-1 accent-accent"
            {...register(name, { valueAsNumber: true })}
          />
          <output className="w-16 text-right tabular-nums">{latency(Number(watch(name)))}</output>
        </div>
      )}
    </Field>
  );
}

/** A stretch of time, each part as long as it lasts. */
function Picture({
  label,
  parts,
}: {
  readonly label: string;
  readonly parts: readonly (readonly [string, number, string])[];
}): ReactNode {
  return (
    <figure className="flex flex-col gap-1.5 rounded-md bg-sunken p-3">
      <div aria-hidden className="flex gap-0.5">
        {parts.map(([name, length, color]) => (
          <div key={name} className="min-w-max" style={{ flexGrow: Math.max(length, 60), flexBasis: 0 }}>
            <div className={`h-4 rounded-sm ${color}`} />
            <p className="mt-1 pr-2 text-xs whitespace-nowrap text-muted">{name}</p>
          </div>
        ))}
      </div>
      <figcaption className="text-xs">{label}</figcaption>
    </figure>
  );
}
