import { systemClock } from "@tablekeep/core";
import type { ResolvedServerOptions } from "../../server/options/server-options.ts";
import type { CommandIo } from "../frame/command-context.ts";
import { counted } from "../frame/progress.ts";
import { hasTable, type OpenStore } from "../store/open-store.ts";
import { checkSync } from "./check-sync.ts";
import { type DoctorFinding, findingOf } from "./doctor-finding.ts";

type Stores = Pick<ResolvedServerOptions, "mail" | "shadows">;

/** Checks the data in the mail table and in the first table of shadows: inboxes, shadows, rollouts, rules, sync. */
export async function checkStores(
  store: OpenStore,
  { mail, shadows }: Stores,
  { signal }: CommandIo,
  isSound: (table: string) => boolean,
): Promise<readonly DoctorFinding[]> {
  const sound = { ...store, has: async (table: string) => isSound(table) && (await hasTable(store, table)) };
  const checks: readonly (readonly [string, () => Promise<readonly DoctorFinding[]>])[] = [
    ...(mail === false ? [] : [["mail", () => checkMail(sound, mail.store, signal)] as const]),
    ...(shadows === false ? [] : [["shadows", () => checkShadows(sound, shadows, signal)] as const]),
  ];
  const findings: DoctorFinding[] = [];
  for (const [check, run] of checks) {
    try {
      findings.push(...(await run()));
    } catch (error) {
      findings.push(findingOf(check, error));
    }
  }
  return findings;
}

type MailStore = Exclude<Stores["mail"], false>["store"];

/** The tables that can be read. */
interface SoundStore extends OpenStore {
  has(table: string): Promise<boolean>;
}

async function checkMail(
  store: SoundStore,
  options: MailStore,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  const { mailTableSpec, openMail } = await import("@tablekeep/mail");
  const { name: table } = mailTableSpec(options);
  if (!(await store.has(table))) return [];
  const count = async (inbox?: string) => {
    const mail = await openMail(store.port, { ...options, ...(inbox !== undefined && { inbox }) });
    try {
      return await mail.count({ signal });
    } finally {
      await mail.close();
    }
  };
  const messages = await count();
  const findings: DoctorFinding[] = [
    {
      check: "mail",
      status: "ok",
      reason: "counted",
      details: { messages },
      message: `${counted(messages, "message")} in the default inbox`,
    },
  ];
  if (options?.layout === "mhdynamo") return findings;
  const { inboxDirectory } = await import("../../server/mail/inboxes/inbox-directory.ts");
  const directory = inboxDirectory({ port: store.port, table, ttlDays: 1, clock: systemClock });
  const inboxes = await directory.read({ signal });
  for (const { name, quota } of inboxes.values()) {
    if (quota === undefined || (await count(name)) < quota) continue;
    const message = `has reached its quota of ${counted(quota, "message")}, and new mail is rejected with 452: delete messages, or raise the quota`;
    findings.push({
      check: `inbox ${name}`,
      status: "wrong",
      reason: "quota-reached",
      details: { inbox: name, quota },
      message,
    });
  }
  if (inboxes.size > 0)
    findings.push({
      check: "inboxes",
      status: "ok",
      reason: "counted",
      details: { inboxes: inboxes.size },
      message: `${inboxes.size} with a name`,
    });
  return findings;
}

type ShadowOptions = Exclude<Stores["shadows"], false>;

async function checkShadows(
  store: SoundStore,
  { store: options, manager: policy, rules = [], sync }: ShadowOptions,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  const { openRollouts, openShadowManager, shadowTableSpec } = await import("@tablekeep/shadow");
  const { name: table } = shadowTableSpec(options?.table);
  if (!(await store.has(table))) return [];
  const manager = openShadowManager(store.port, { ...options, history: undefined }, policy);
  const { rows, token } = await manager.list({ limit: 100, signal });
  const shown = token === undefined ? counted(rows.length, "shadow") : "more than 100 shadows";
  const details = { shadows: rows.length, more: token !== undefined };
  const findings: DoctorFinding[] = [
    { check: "shadows", status: "ok", reason: "counted", details, message: shown },
  ];
  const rollouts = await openRollouts(store.port, manager, options).list({ signal });
  for (const { name, phase, reason } of rollouts) {
    if (phase !== "paused") continue;
    const why = reason === undefined ? "" : ` (${reason})`;
    const advice = `"tablekeep shadow rollout get ${name}", then "resume" or "rollback"`;
    findings.push({
      check: `rollout ${name}`,
      status: "note",
      reason: "paused",
      details: { rollout: name, ...(reason !== undefined && { error: reason }) },
      message: `is paused${why}: ${advice}`,
    });
  }
  const { RuleItems } = await import("../../server/shadow/rules/rule-items.ts");
  for (const { name } of rules) {
    const items = new RuleItems({ port: store.port, table, rule: name, clock: systemClock });
    const parked = await items.parked(signal);
    const last = parked.at(-1);
    findings.push(
      last === undefined
        ? { check: `rule ${name}`, status: "ok", reason: "running", message: "no event is parked" }
        : {
            check: `rule ${name}`,
            status: "wrong",
            reason: "parked",
            details: { rule: name, parked: parked.length, error: last.error },
            message: `${counted(parked.length, "event")} parked, the last by "${last.error}": fix the receiver, then retry them with POST /api/v3/shadow-rules/${encodeURIComponent(name)}/retry`,
          },
    );
  }
  return [...findings, ...(await checkSync({ port: store.port, table }, sync, signal))];
}
