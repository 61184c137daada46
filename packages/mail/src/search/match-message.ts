import type { MailMessage, MailSearch } from "../mail.ts";
import { readOverview, textOf } from "../mime/read-overview.ts";
import { foldCase } from "./fold-case.ts";
import { matchHeaders } from "./match-headers.ts";

/** Whether a search finds a message whose bytes were read. */
export function matchMessage(search: MailSearch, message: MailMessage): boolean {
  const { kind, query } = search;
  switch (kind) {
    case "from":
    case "to": {
      const values = message.mailhogContent().Headers[kind === "from" ? "From" : "To"];
      return matchHeaders({ kind, query }, message.envelope, values?.join("\n")) ?? false;
    }
    case "containing": {
      const { Body, Headers } = message.mailhogContent();
      const wanted = foldCase(query);
      return [Body, ...Object.values(Headers).flat()].some((text) => foldCase(text).includes(wanted));
    }
    case "text":
      return foldCase(textOf(readOverview(message.raw))).includes(foldCase(query));
    case "sender":
    case "recipient":
      return addressesOf(kind, message).includes(query.toLowerCase());
  }
}

function addressesOf(role: "sender" | "recipient", { envelope, raw }: MailMessage): string[] {
  const { senders, recipients } = readOverview(raw);
  const own = role === "sender" ? [envelope.from] : envelope.to;
  return [...own.map((address) => address.toLowerCase()), ...(role === "sender" ? senders : recipients)];
}
