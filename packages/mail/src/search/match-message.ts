import { pacer } from "../background.ts";
import type { MailMessage, MailSearch } from "../mail.ts";
import { textChunks } from "../mailhog/byte-text.ts";
import { readOverview, textOf } from "../mime/read-overview.ts";
import { foldCase } from "./fold-case.ts";
import { matchHeaders } from "./match-headers.ts";

/** Whether a search finds a message whose bytes were read. A large message is searched in several turns of the event loop. */
export async function matchMessage(search: MailSearch, message: MailMessage): Promise<boolean> {
  const { kind, query } = search;
  switch (kind) {
    case "from":
    case "to": {
      const values = message.mailhogText().headers[kind === "from" ? "From" : "To"];
      return matchHeaders({ kind, query }, message.envelope, values?.join("\n")) ?? false;
    }
    case "containing": {
      const { headers, body } = message.mailhogText();
      const values = Object.values(headers).flat();
      return containsAny([body, ...values.map(textChunks)], foldCase(query));
    }
    case "text":
      return foldCase(textOf(readOverview(message.raw))).includes(foldCase(query));
    case "sender":
    case "recipient":
      return addressesOf(kind, message).includes(query.toLowerCase());
  }
}

/** Whether one of several texts, each in chunks, holds a folded query. Folding has no memory, so that chunks fold alone. */
async function containsAny(texts: readonly Iterable<string>[], wanted: string): Promise<boolean> {
  const pace = pacer();
  for (const chunks of texts) {
    let tail = "";
    for (const chunk of chunks) {
      const searched = tail + foldCase(chunk);
      if (searched.includes(wanted)) return true;
      // What begins in this chunk may end in the next.
      tail = wanted.length > 1 ? searched.slice(1 - wanted.length) : "";
      const turn = pace(chunk.length);
      if (turn !== undefined) await turn;
    }
  }
  return false;
}

function addressesOf(role: "sender" | "recipient", { envelope, raw }: MailMessage): string[] {
  const { senders, recipients } = readOverview(raw);
  const own = role === "sender" ? [envelope.from] : envelope.to;
  return [...own.map((address) => address.toLowerCase()), ...(role === "sender" ? senders : recipients)];
}
