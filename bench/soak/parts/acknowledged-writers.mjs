import { sampleMessage } from "../../mail/lib/sample-message.mjs";
import { smtpSender } from "../../mail/lib/smtp-sender.mjs";

/** Writers that record acknowledged writes and can report which of them are lost. */

/** Mail over SMTP, 2 KB each, on four connections in turn. */
export async function mailWriter(smtp) {
  const port = Number(new URL(smtp).port);
  const idle = await Promise.all([1, 2, 3, 4].map(() => smtpSender(port)));
  const lanes = idle.map((sender) => ({ sender, last: Promise.resolve() }));
  const ids = [];
  let count = 0;
  return {
    async write() {
      const number = count++;
      const lane = lanes[number % lanes.length];
      // The one before on the same connection goes first, whatever becomes of it.
      const sent = lane.last.then(() =>
        lane.sender.send(`inbox-${number % 1000}@example.test`, sampleMessage(2000, number)),
      );
      lane.last = sent.catch(() => {});
      ids.push(/^250 Ok: queued as (\S+)/.exec(await sent)?.[1] ?? "none");
    },
    /** Counts all reported ids; one in a hundred is read. */
    async lost(http) {
      const { count: stored } = await json(new URL("/api/v3/mail/count", http));
      const missing = stored === ids.length ? [] : [`${ids.length - stored} mails`];
      for (let at = 0; at < ids.length; at += 100) {
        const { status } = await fetch(new URL(`/api/v1/messages/${ids[at]}`, http));
        if (status !== 200) missing.push(`mail ${ids[at]}`);
      }
      return missing;
    },
    close() {
      for (const { sender } of lanes) sender.close();
    },
  };
}

/** Events of 200 entities, one at a time each, by our own API. */
export function eventWriter(http) {
  const acknowledged = new Map();
  let count = 0;
  const pathOf = (id) => new URL(`/api/v3/journals/journal/ids/${id}`, http);
  return {
    async write() {
      const id = `soak-${count++ % 200}`;
      const body = JSON.stringify({ events: [{ payload: { count, text: "x".repeat(500) } }] });
      const answer = await fetch(`${pathOf(id)}/events`, { method: "POST", body });
      const { outcomes } = await answer.json();
      if (answer.status !== 200) throw new Error(`status ${answer.status}`);
      acknowledged.set(id, Math.max(acknowledged.get(id) ?? 0, outcomes[0].last));
    },
    async lost() {
      const missing = [];
      for (const [id, last] of acknowledged) {
        const { highestSequenceNr } = await json(pathOf(id));
        if (highestSequenceNr < last) missing.push(`${id}: ${last}, there are ${highestSequenceNr}`);
      }
      return missing;
    },
  };
}

async function json(url) {
  return (await fetch(url)).json();
}
