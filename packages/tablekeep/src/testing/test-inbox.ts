import { callServer, serverAddress } from "./call-server.ts";
import { type Inbox, inboxAt } from "./inbox.ts";

/** An inbox for one test. */
export interface TestInbox extends Inbox, AsyncDisposable {
  readonly name: string;
  /** Where MailHog's API and our own are for this inbox. */
  readonly url: string;
  /** The user that sends mail to this inbox over SMTP, with any password. */
  readonly user: string;
  /** The SMTP server with that user; "" if its address was not given. */
  readonly smtpUrl: string;
  /**
   * Deletes the inbox with its mail.
   *
   * @example
   * await inbox.delete();
   */
  delete(): Promise<void>;
}

/** Where the inbox is created. */
export interface CreateInboxOptions {
  /** The address of the server's web page. */
  readonly url: string;
  /** The address of its SMTP listener. @default unknown */
  readonly smtpUrl?: string;
  /** A token of the server. @default none */
  readonly token?: string;
}

/**
 * Creates an inbox with a unique name, so that tests can share a server without seeing each other's mail.
 *
 * @example
 * await using inbox = await createInbox({ url: "http://127.0.0.1:8025/", smtpUrl: "smtp://127.0.0.1:1025" });
 * await signUp("ann@example.org", { smtp: inbox.smtpUrl });
 * const mail = await inbox.waitFor("ann@example.org");
 */
export async function createInbox({ url, smtpUrl, token }: CreateInboxOptions): Promise<TestInbox> {
  const made = await callServer(new URL("api/v3/inboxes", serverAddress(url)), { method: "POST", token });
  const { name, user } = (await made.json()) as { name: string; user: string };
  const remove = () => removeInbox(url, name, token);
  return {
    ...inboxAt(url, { inbox: name, token }),
    name,
    user,
    url: new URL(`inbox/${name}/`, url).href,
    smtpUrl: smtpUrl === undefined ? "" : withUser(smtpUrl, user),
    delete: remove,
    [Symbol.asyncDispose]: remove,
  };
}

/** Deletes an inbox with its mail. */
export async function removeInbox(url: string, name: string, token?: string): Promise<void> {
  const answer = await callServer(new URL(`api/v3/inboxes/${name}`, url), { method: "DELETE", token });
  await answer.arrayBuffer();
}

/** Adds the user to the address of an SMTP server, as mail libraries read it. */
export function withUser(smtpUrl: string, user: string): string {
  return smtpUrl.replace("://", `://${encodeURIComponent(user)}:any@`);
}
