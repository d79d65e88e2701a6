import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import type { Agent } from '../../../api/types.js';
import { counted } from '../../../format/words.js';
import { forecastEnd, TYPICAL_CALL_MINUTES } from './forecast.js';
import { type SettingsInput, settingsForm } from './form.js';
import { hoursLine } from './hours.js';

interface ForecastProps {
  readonly contacts: number;
  readonly settings: SettingsInput;
  readonly agent: Agent | undefined;
}

/** When the campaign ends, by what the form holds now. */
export function ForecastView({ contacts, settings, agent }: ForecastProps): ReactNode {
  const [openedAt] = useState(Date.now);
  const forecast = useMemo(() => {
    const parsed = settingsForm.omit({ name: true, agent_id: true }).safeParse(settings);
    if (!parsed.success || agent === undefined || contacts === 0) return null;
    const { data } = parsed;
    return forecastEnd({
      contacts,
      callsPerMinute: data.calls_per_minute,
      maxConcurrent: data.max_concurrent,
      maxAttempts: data.max_attempts,
      retryDelaySeconds: Math.max(data.busy_delay, data.no_answer_delay, data.failed_delay) * 60,
      hours: agent.calling_hours,
      timeZone: agent.calling_hours.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      startAt: Math.max(openedAt, data.starts === '' ? 0 : Date.parse(data.starts)),
    });
  }, [contacts, settings, agent, openedAt]);
  if (agent === undefined)
    return <p className="text-muted">Choose an agent to see when the campaign ends.</p>;
  return (
    <div className="flex flex-col gap-2">
      {forecast === null ? (
        <p>
          {contacts === 0
            ? 'Without contacts there is nothing to forecast.'
            : 'With these settings the campaign has no end that can be forecast.'}
        </p>
      ) : (
        <>
          <p aria-live="polite">
            {counted(contacts, 'contact')} at {rate(forecast.callsPerMinute)} a minute: the end is{' '}
            <strong>{when(forecast.earliest)}</strong> where everybody is reached at once
            {forecast.latest > forecast.earliest && (
              <>
                , and <strong>{when(forecast.latest)}</strong> where nobody answers
              </>
            )}
            .
          </p>
          {forecast.limitedBy === 'concurrency' && (
            <p className="text-warn">
              {settings.max_concurrent} at the same time allow no more than {rate(forecast.callsPerMinute)} a
              minute, with calls of {TYPICAL_CALL_MINUTES} min.
            </p>
          )}
        </>
      )}
      <p className="text-muted">
        Calling hours of {agent.name}: {hoursLine(agent.calling_hours)},{' '}
        {agent.calling_hours.timezone ?? 'by the clock of the person who is called (forecast by yours)'}.{' '}
        <Link
          to="/agents/$agentId"
          params={{ agentId: agent.id }}
          search={{ section: 'rules' }}
          target="_blank"
          className="text-accent underline"
        >
          Change them
        </Link>
      </p>
    </div>
  );
}

const rate = (perMinute: number) => counted(Math.round(perMinute * 10) / 10, 'call');
const when = (at: number) =>
  new Date(at).toLocaleString(undefined, {
    weekday: 'short',
    dateStyle: undefined,
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
