/** Figures in words. */

/** `1.24 s`; below a second in ms. */
export function seconds(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** `2:05` */
export function clock(ms) {
  const whole = Math.floor(ms / 1000);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

export function median(values) {
  if (values.length === 0) return null;
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}

/** What a turn's time went into, in words; empty where nothing was measured. */
export function latencyDetails(metrics) {
  const parts = [
    ['end of turn decided', metrics.end_of_turn_delay_ms],
    ['words final', metrics.stt_final_ms],
    ['first word of the answer', metrics.llm_first_token_ms],
    ['first sound', metrics.tts_first_audio_ms],
    ['on the line', metrics.response_latency_ms],
    ['stopped for you within', metrics.barge_in_latency_ms],
  ];
  const known = parts.filter(([, ms]) => ms !== null).map(([name, ms]) => `${name} ${seconds(ms)}`);
  if (metrics.preempted) known.push('answer begun ahead');
  return known.join(' · ');
}

/** `0.4 % lost · 23 ms` of two looks at a connection's statistics. */
export function qualityText({ packetsReceived, packetsLost, roundTripMs }) {
  const total = packetsReceived + packetsLost;
  const lost = total > 0 ? (packetsLost / total) * 100 : 0;
  const trip = roundTripMs === null ? '' : ` · ${Math.round(roundTripMs)} ms`;
  return `${lost.toFixed(lost > 0 && lost < 10 ? 1 : 0)} % lost${trip}`;
}
