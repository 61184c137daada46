import { createServer } from "node:net";
import type { FolderListener } from "@tablekeep/engine";
import type { ListenTarget } from "../../server/listening/listener.ts";
import { inboxListenTargets } from "../../server/mail/inboxes/inbox-definition.ts";
import type { ResolvedServerOptions } from "../../server/options/server-options.ts";
import { type DoctorFinding, findingOf } from "./doctor-finding.ts";

/** The ports that a server with these options listens on. Ports that the system chooses are left out. */
export function placesOf(options: ResolvedServerOptions, hasEngine: boolean): readonly ListenTarget[] {
  const { host, httpHost, dynamodbHost, smtpHost, mqttHost, imapPort } = options;
  const place = (listener: string, address: string, port: number): ListenTarget => ({
    listener,
    host: address,
    port,
    portFlag: `--${listener}-port`,
  });
  return [
    place("http", httpHost, options.httpPort),
    ...(options.dynamodb && hasEngine ? [place("dynamodb", dynamodbHost, options.dynamodbPort)] : []),
    ...(options.smtp ? [place("smtp", smtpHost, options.smtpPort)] : []),
    ...(options.smtp && options.mail !== false ? inboxListenTargets(options.mail.inboxPorts, smtpHost) : []),
    ...(imapPort === undefined ? [] : [place("imap", host, imapPort)]),
    ...(options.mqtt ? [place("mqtt", mqttHost, options.mqttPort)] : []),
  ].filter(({ port }) => port !== 0);
}

/** Checks that each port is free, by listening on it for a moment, or used by the server of the folder. */
export async function checkPorts(
  places: readonly ListenTarget[],
  ours: readonly FolderListener[],
): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  for (const place of places) findings.push(await checkPort(place, ours));
  return findings;
}

/** The port of a listener's URL. `URL` leaves out the default one of its protocol. */
export function portIn(url: string): number | undefined {
  const [, port] = /:(\d+)(?:\/|$)/.exec(url) ?? [];
  return port === undefined ? undefined : Number(port);
}

async function checkPort(place: ListenTarget, ours: readonly FolderListener[]): Promise<DoctorFinding> {
  const { listener, port, host } = place;
  const where = `${listener} port ${port} on ${host}`;
  const isOurs = ours.some(({ name, url }) => name === listener && portIn(url) === port);
  const fine = { check: "port", status: "ok", details: { listener, host, port } } as const;
  if (isOurs)
    return { ...fine, reason: "port-ours", message: `${where} is used by the server of the folder` };
  const { listen } = await import("../../server/listening/listener.ts");
  const server = createServer();
  try {
    await listen(server, place);
    return { ...fine, reason: "port-free", message: `${where} is free` };
  } catch (error) {
    return findingOf("port", error);
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
