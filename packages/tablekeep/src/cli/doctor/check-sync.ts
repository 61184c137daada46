import type { DynamoPort } from "@tablekeep/core";
import type { ShadowSyncConfig } from "../../server/setting-files/shadow-sync-file.ts";
import { counted } from "../frame/progress.ts";
import { checkClock } from "./check-clock.ts";
import type { DoctorFinding } from "./doctor-finding.ts";

/** Checks the sync of a table's shadows with clouds: the endpoint of the settings, and the state that servers have stored for each cloud. */
export async function checkSync(
  { port, table }: { readonly port: DynamoPort; readonly table: string },
  config: Pick<ShadowSyncConfig, "endpoint"> | undefined,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  const { readServiceStatuses } = await import("../../server/shadow/service-status.ts");
  const { syncErrorOf, syncService } = await import("../../server/shadow/sync/run-sync.ts");
  const statuses = (await readServiceStatuses(port, table, { signal })).filter(({ service }) =>
    service.startsWith(syncService),
  );
  const errors = new Map(
    statuses.map(({ service, lines }) => [service.slice(syncService.length), syncErrorOf(lines)]),
  );
  const findings: DoctorFinding[] = [];
  if (config !== undefined) {
    const names = { check: "sync endpoint", option: "the endpoint in the file of --shadow-sync" };
    findings.push(await checkClock(config.endpoint, signal, names));
    const { host } = new URL(config.endpoint);
    if (!errors.has(host)) findings.push(neverSynced(host));
  }
  for (const [cloud, error] of errors) findings.push(await checkCloud({ port, table, cloud, error }, signal));
  return findings;
}

function neverSynced(host: string): DoctorFinding {
  const message = 'no server has synced the shadows of this table yet: "tablekeep serve --shadow-sync" does';
  return { check: `sync with ${host}`, status: "note", reason: "never-synced", message };
}

interface Cloud {
  readonly port: DynamoPort;
  readonly table: string;
  readonly cloud: string;
  /** Why the last attempt of a server failed; undefined if it did not. */
  readonly error: string | undefined;
}

async function checkCloud({ port, table, cloud, error }: Cloud, signal: AbortSignal): Promise<DoctorFinding> {
  const { readSyncStatuses } = await import("@tablekeep/shadow");
  const check = `sync with ${cloud}`;
  let [shadows, rejected] = [0, 0];
  let first: { readonly thing: string; readonly problem: string } | undefined;
  for await (const { id, problem } of readSyncStatuses(port, cloud, { table }, { signal })) {
    shadows++;
    if (problem === undefined) continue;
    rejected++;
    first ??= { thing: id, problem };
  }
  if (error !== undefined) {
    const advice = "check its endpoint, the credentials and their policy; the server tries again";
    const message = `the last attempt failed (${error}): ${advice}`;
    return { check, status: "wrong", reason: "sync-failed", details: { error }, message };
  }
  if (first === undefined) {
    const message = `${counted(shadows, "shadow")}, none rejected`;
    return { check, status: "ok", reason: "synced", details: { shadows }, message };
  }
  const advice = 'change the shadow on one side; "tablekeep shadow sync --rejected" lists all';
  const message = `${rejected} of ${counted(shadows, "shadow")} rejected, such as ${first.thing}: ${first.problem}: ${advice}`;
  return { check, status: "wrong", reason: "sync-rejected", details: { shadows, rejected, first }, message };
}
