import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import type { DoctorFinding } from "../src/cli/doctor/doctor-finding.ts";
import { runMain } from "./run-main.ts";

const portNames = ["HTTP", "DYNAMODB", "SMTP", "MQTT"] as const;
/** Ports that the system chooses are not checked. */
export const anyPorts = Object.fromEntries(portNames.map((name) => [`TABLEKEEP_${name}_PORT`, "0"]));

/** Runs `tablekeep doctor --json`. */
export async function doctor(argv: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runMain(["doctor", "--json", ...argv], { ...anyPorts, ...env });
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as DoctorFinding | { summary: object });
  const findings = lines.filter((line) => "check" in line);
  return { code, findings, stderr, wrong: findings.filter(({ status }) => status === "wrong") };
}

/** Listens on a free port, and returns it. */
export async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
