import { connect } from "@tablekeep/client";
import { openJournal } from "@tablekeep/journal";
import { rawClient } from "../smtp/smtp-client.ts";

/** An acknowledged write that must exist after the server has ended, for any reason. */
export type Acknowledged =
  | { readonly kind: "mail"; readonly id: string; readonly token: string }
  | { readonly kind: "event"; readonly persistenceId: string; readonly at: number; readonly token: string };

/** Writes one after the other until the server is gone, or `count` were written. */
export interface MixedWriter {
  /** The unique prefix of its ids. */
  readonly name: string;
  readonly count: number;
  /** Aborted once the server is gone. */
  readonly gone: AbortSignal;
  readonly onAcknowledged: (one: Acknowledged) => void;
}

/** Mail over SMTP, where 250 acknowledges and contains the id. */
export async function writeMail(url: string, { name, count, onAcknowledged }: MixedWriter): Promise<void> {
  const client = await rawClient(url);
  await client.say("EHLO writer\r\n");
  for (let at = 0; at < count; at++) {
    const token = `${name}-${at}`;
    await client.say("MAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\n", 3);
    const output = await client.say(`Subject: ${token}\r\n\r\n${"body ".repeat(at * 50)}\r\n.\r\n`);
    const id = /^250 Ok: queued as (\S+)\r\n/.exec(output)?.[1];
    if (id === undefined) return;
    onAcknowledged({ kind: "mail", id, token });
  }
  client.socket.destroy();
}

/** Events by our own API, where status 200 acknowledges and contains the sequence number. */
export async function writeEvents(url: string, { name, count, onAcknowledged }: MixedWriter): Promise<void> {
  const target = new URL(`/api/v3/journals/journal/ids/${name}/events`, url);
  for (let at = 0; at < count; at++) {
    const token = `${name}-${at}`;
    const body = JSON.stringify({ events: [{ payload: { token } }] });
    const answer = await fetch(target, { method: "POST", body })
      .then(async (response) => (response.status === 200 ? ((await response.json()) as Outcomes) : undefined))
      .catch(() => undefined);
    if (answer === undefined) return;
    for (const { last } of answer.outcomes)
      onAcknowledged({ kind: "event", persistenceId: name, at: last, token });
  }
}

/** Atomic writes of three events by the DynamoDB endpoint, from a journal in this process. */
export async function writeByPort(
  endpoint: string,
  { name, count, gone: signal, onAcknowledged }: MixedWriter,
): Promise<void> {
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  await using port = connect({ endpoint, region: "local", credentials });
  try {
    const journal = await openJournal(port, {});
    const writer = await journal.recover(name, { signal });
    for (let at = 0; at < count; at++) {
      const token = `${name}-${at}`;
      const events = [0, 1, 2].map(() => ({ payload: { token } }));
      const outcome = await writer.append(events, { signal });
      if (outcome?.kind !== "ok") return;
      onAcknowledged({ kind: "event", persistenceId: name, at: outcome.value.last, token });
    }
  } catch {
    // The server is gone: what was acknowledged before counts.
  }
}

interface Outcomes {
  readonly outcomes: readonly { readonly last: number }[];
}
