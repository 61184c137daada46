import type { SmtpWatch } from "../smtp/smtp-watch.ts";
import { counter } from "./counter.ts";
import type { Metric } from "./metric.ts";

/** Watches an SMTP listener, and what it has seen. */
export interface SmtpMetrics {
  readonly watch: SmtpWatch;
  readonly metrics: readonly Metric[];
}

export function smtpMetrics(): SmtpMetrics {
  const stored = counter("tablekeep_smtp_messages_total", "Messages that came by SMTP and are stored.", []);
  const refused = counter("tablekeep_smtp_refusals_total", "SMTP replies that say no, by their code.", [
    "code",
  ]);
  return {
    watch: { onStored: () => stored.count(), onRefused: (code) => refused.count(String(code)) },
    metrics: [stored, refused],
  };
}
