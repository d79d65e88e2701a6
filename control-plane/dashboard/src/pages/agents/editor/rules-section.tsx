import type { ReactNode } from 'react';
import { useFormContext } from 'react-hook-form';
import { Button } from '../../../ui/button.js';
import { Field, Input, TextArea } from '../../../ui/field.js';
import { CallingHours } from './calling-hours.js';
import { type AgentForm, voicemailAction } from './form.js';
import { NudgePresets } from './nudge-presets.js';

/** What the law and good manners ask for: disclosure, recording, voicemail, how long a call may last. */
export function RulesSection(): ReactNode {
  const { register, watch, setValue, formState } = useFormContext<AgentForm>();
  const { errors } = formState;
  const [recording, voicemail] = watch(['recording', 'voicemail']);
  const setAction = (message: string) =>
    setValue('voicemail.action', voicemailAction(message), { shouldDirty: true });
  // The API may keep a message that is not left.
  const isUnused = voicemail.action === 'hangup' && voicemailAction(voicemail.message) !== 'hangup';
  const box = 'flex items-center gap-2';
  return (
    <div className="flex flex-col gap-6">
      <Field
        label="Disclosure"
        hint="Said before the first message: that an AI speaks. Many states require it."
        error={errors.disclosure?.text?.message}
      >
        {(ids) => <TextArea {...ids} {...register('disclosure.text')} rows={2} />}
      </Field>
      <CallingHours />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-semibold">Recording</legend>
        <label className={box}>
          <input type="checkbox" className="size-4 accent-accent" {...register('recording.enabled')} /> Record
          calls
        </label>
        {recording.enabled && (
          <>
            <label className={box}>
              <input type="checkbox" className="size-4 accent-accent" {...register('recording.announce')} />
              Announce it everywhere (where both sides must consent, it is announced in any case)
            </label>
            <Field label="Announcement" error={errors.recording?.announcement?.message}>
              {(ids) => <Input {...ids} {...register('recording.announcement')} />}
            </Field>
          </>
        )}
      </fieldset>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-semibold">Voicemail</legend>
        <label className={box}>
          <input type="checkbox" className="size-4 accent-accent" {...register('voicemail.detect')} /> Notice
          when an answering machine picks up
        </label>
        {voicemail.detect && (
          <>
            <Field
              label="Message after the beep"
              hint="Empty: the agent hangs up."
              error={errors.voicemail?.message?.message}
            >
              {(ids) => (
                <TextArea
                  {...ids}
                  {...register('voicemail.message', { onChange: ({ target }) => setAction(target.value) })}
                  rows={2}
                />
              )}
            </Field>
            {isUnused && (
              <p role="status" className="flex flex-wrap items-center gap-2 text-warn">
                The agent hangs up and does not leave this message.
                <Button size="small" onClick={() => setAction(voicemail.message)}>
                  Leave it
                </Button>
              </p>
            )}
          </>
        )}
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Longest call, seconds" error={errors.max_duration_seconds?.message}>
          {(ids) => (
            <Input {...ids} type="number" {...register('max_duration_seconds', { valueAsNumber: true })} />
          )}
        </Field>
        <Field
          label="Silence until it asks, seconds"
          hint="Then the agent asks whether anybody is there, and at last hangs up."
          error={errors.silence_timeout_seconds?.message}
        >
          {(ids) => (
            <Input
              {...ids}
              type="number"
              step="any"
              {...register('silence_timeout_seconds', { valueAsNumber: true })}
            />
          )}
        </Field>
      </div>
      <NudgePresets />
    </div>
  );
}
