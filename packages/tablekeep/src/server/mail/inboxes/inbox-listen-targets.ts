import type { ListenTarget } from "../../listening/listener.ts";

/** Where SMTP for one inbox listens. */
export interface InboxListenTarget extends ListenTarget {
  readonly inbox: string;
}

/** The SMTP listeners of inboxes with their own ports. */
export function inboxListenTargets(
  ports: Readonly<Record<string, number>> = {},
  host: string,
): readonly InboxListenTarget[] {
  return Object.entries(ports).map(([inbox, port]) => ({
    inbox,
    listener: `smtp:${inbox}`,
    host,
    port,
    portFlag: "--inbox-ports",
  }));
}
