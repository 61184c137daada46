import type { Clock, Logger } from "@tablekeep/core";
import type { Envelope, IncomingMessage, Mail, StoredMessage } from "@tablekeep/mail";
import type { MailReceiver } from "@tablekeep/mail/smtp";
import type { RecipientOutcome, RecipientRules } from "../../setting-files/recipient-rules.ts";
import { bounceReport, complaintReport, type ReportedMessage } from "./report-message.ts";

/** The part of a mail store that accepts messages. */
export type MailIntake = MailReceiver & Pick<Mail, "store">;

export interface OutcomeReportOptions {
  readonly rules: RecipientRules;
  readonly hostname: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Bytes of a message that are kept for its report: the header. */
const headBytes = 65_536;

/**
 * Stores messages, and bounces and complaints to their senders where rules require them. A report is stored after its message and
 * before the message is acknowledged. A report that cannot be stored is logged: the message itself is stored. Reports have no
 * sender, so there are no reports about reports.
 */
export function reportOutcomes(mail: MailIntake, options: OutcomeReportOptions): MailIntake {
  const affected = ({ from, to }: Envelope) =>
    from === "" ? [] : to.flatMap((address) => outcomeFor(address, options.rules));
  return {
    receive(envelope, call, peer) {
      const incoming = mail.receive(envelope, call, peer);
      const outcomes = affected(envelope);
      return outcomes.length === 0 ? incoming : reporting(incoming, { mail, envelope, outcomes, options });
    },
    async store(envelope, raw, call) {
      const stored = await mail.store(envelope, raw, call);
      const outcomes = affected(envelope);
      if (outcomes.length > 0)
        await storeReports(
          { mail, envelope, outcomes, options },
          Buffer.from(raw.subarray(0, headBytes)),
          stored,
        );
      return stored;
    },
  };
}

interface Outcome {
  readonly address: string;
  readonly outcome: RecipientOutcome;
}

function outcomeFor(address: string, rules: RecipientRules): Outcome[] {
  const outcome = rules(address);
  return outcome === undefined || outcome.kind === "reject" ? [] : [{ address, outcome }];
}

interface Reporting {
  readonly mail: MailIntake;
  readonly envelope: Envelope;
  readonly outcomes: readonly Outcome[];
  readonly options: OutcomeReportOptions;
}

function reporting(incoming: IncomingMessage, context: Reporting): IncomingMessage {
  const head: Buffer[] = [];
  let kept = 0;
  return {
    get id() {
      return incoming.id;
    },
    get inbox() {
      return incoming.inbox;
    },
    write(bytes) {
      if (kept < headBytes) {
        const part = Buffer.from(bytes.subarray(0, headBytes - kept));
        head.push(part);
        kept += part.length;
      }
      return incoming.write(bytes);
    },
    async finish(call) {
      const stored = await incoming.finish(call);
      await storeReports(context, Buffer.concat(head), stored);
      return stored;
    },
    discard: () => incoming.discard(),
  };
}

async function storeReports(
  { mail, envelope, outcomes, options }: Reporting,
  head: Buffer,
  { created }: StoredMessage,
): Promise<void> {
  const { hostname, clock, logger } = options;
  const reporter = { hostname, now: clock.now() };
  const message: ReportedMessage = { head, from: envelope.from, helo: envelope.helo, arrived: created };
  const failed = outcomes.flatMap(({ address, outcome }) =>
    outcome.kind === "bounce" ? [{ address, status: outcome.status, text: outcome.text }] : [],
  );
  const reports = [
    ...(failed.length > 0 ? [bounceReport(message, failed, reporter)] : []),
    ...outcomes
      .filter(({ outcome }) => outcome.kind === "complaint")
      .map(({ address }) => complaintReport(message, address, reporter)),
  ];
  try {
    for (const report of reports) await mail.store({ from: "", to: [envelope.from], helo: hostname }, report);
  } catch (error) {
    logger.warn("could not store a bounce or complaint", { error });
  }
}
