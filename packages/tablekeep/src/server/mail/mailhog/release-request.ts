import { HttpRefusal } from "../../http/http-refusal.ts";
import type { Relay } from "../../release/relays.ts";
import type { ReleaseRequest } from "../../release/releaser.ts";
import { badReleaseBody } from "./mailhog-answers.ts";

/** Understands the body of MailHog's release. Names count in any case, as in Go. */
export function parseRelease(body: unknown): ReleaseRequest {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw wrongBody();
  const given = new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value as unknown]));
  const text = (name: string): string => {
    const value = given.get(name) ?? "";
    // MailHog takes a port as a string only; a number says the same.
    if (typeof value !== "string" && !(name === "port" && typeof value === "number")) throw wrongBody();
    return String(value);
  };
  if (given.get("save") === true)
    throw new HttpRefusal(400, "relays are configured with --outgoing-smtp, and not saved over HTTP");
  const name = text("name");
  const relay = name === "" ? { host: text("host"), port: Number(text("port")) } : { name };
  return { relay, to: text("email") || undefined };
}

function wrongBody(): HttpRefusal {
  return new HttpRefusal(500, badReleaseBody);
}

/** A relay as MailHog shows it. Its password stays here. */
export function relayJson({ name, host, port, username = "", mechanism, email = "" }: Relay): object {
  return {
    Name: name,
    Save: false,
    Email: email,
    Host: host,
    Port: String(port),
    Username: username,
    Password: "",
    Mechanism: mechanism === "CRAM-MD5" ? "CRAMMD5" : (mechanism ?? ""),
  };
}
