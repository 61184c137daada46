import type { ListenPlace } from "../../listening/listener.ts";

/** Where SMTP for one inbox listens. */
export interface InboxPlace extends ListenPlace {
  readonly inbox: string;
}

/** The SMTP listeners of inboxes with their own ports. */
export function inboxPlaces(
  ports: Readonly<Record<string, number>> = {},
  host: string,
): readonly InboxPlace[] {
  return Object.entries(ports).map(([inbox, port]) => ({
    inbox,
    listener: `smtp:${inbox}`,
    host,
    port,
    portFlag: "--inbox-ports",
  }));
}
