import { dmarcPolicy, isAligned } from "../auth/check-dmarc.ts";
import { checkSpf } from "../auth/check-spf.ts";
import type { SpfResult } from "../auth/spf-record.ts";
import { verifyDkim } from "../auth/verify-dkim.ts";
import type { Zone } from "../auth/zone.ts";
import type { LintSeverity, Report } from "../lint-rules.ts";
import type { LintedMessage } from "../read-linted.ts";

/** The sender of the message, for SPF. */
export interface LintSender {
  /** The address that the receiver would see, such as `192.0.2.1`. */
  readonly ip: string;
  /** The address of MAIL FROM. @default that of Return-Path or, if there is none, of From */
  readonly from?: string;
  /** The name of HELO or EHLO. @default the domain of `from` */
  readonly helo?: string;
}

/** Checks DKIM, SPF and DMARC with the records of a zone. */
export async function checkAuthentication(
  message: LintedMessage,
  {
    zone,
    sender,
    now,
  }: { readonly zone: Zone; readonly sender: LintSender | undefined; readonly now: number | undefined },
  report: Report,
): Promise<void> {
  const time = now ?? Date.parse(message.named("date")[0] ?? "");
  const signatures = await verifyDkim(message, zone, time);
  if (signatures.length === 0) report("dkim", "the message has no DKIM signature", { severity: "warning" });
  for (const { domain, selector, problem } of signatures)
    if (problem !== undefined)
      report(
        "dkim",
        `the DKIM signature of ${domain || "?"} (selector ${selector || "?"}) is not valid: ${problem}`,
      );
  const from = addressIn(message.named("from")[0] ?? "");
  const spf = sender && spfOf(message, sender, from, zone, report);
  const domain = domainOf(from);
  if (domain === "") return;
  const signed = signatures.filter(({ problem }) => problem === undefined).map((each) => each.domain);
  checkAlignment(domain, { signed, spf, zone }, report);
}

interface SpfOutcome {
  readonly domain: string;
  readonly result: SpfResult;
}

const severityOf: Readonly<Record<SpfResult, LintSeverity | undefined>> = {
  pass: undefined,
  fail: "error",
  permerror: "error",
  softfail: "warning",
  neutral: "warning",
  none: "warning",
};

function spfOf(
  message: LintedMessage,
  sender: LintSender,
  author: string,
  zone: Zone,
  report: Report,
): SpfOutcome {
  const path = addressIn(message.named("return-path")[0] ?? "");
  const from = sender.from ?? (path || author);
  const helo = sender.helo ?? domainOf(from);
  // A null sender stands for the host that sends.
  const identity = from === "" ? `postmaster@${helo}` : from;
  const domain = domainOf(identity);
  const result = checkSpf(zone, domain, { ip: sender.ip, from: identity, helo });
  const severity = severityOf[result];
  if (severity !== undefined)
    report("spf", `SPF of ${domain || "?"} is ${result} for ${sender.ip}`, { severity });
  return { domain, result };
}

function checkAlignment(
  domain: string,
  {
    signed,
    spf,
    zone,
  }: { readonly signed: readonly string[]; readonly spf: SpfOutcome | undefined; readonly zone: Zone },
  report: Report,
): void {
  const policy = dmarcPolicy(zone, domain);
  if (policy === undefined) {
    report("dmarc", `${domain} has no DMARC policy`, { severity: "warning" });
    return;
  }
  const byDkim = signed.some((each) => isAligned(zone, each, domain, policy.strictDkim));
  const bySpf = spf?.result === "pass" && isAligned(zone, spf.domain, domain, policy.strictSpf);
  if (byDkim || bySpf) return;
  const dkim = signed.length === 0 ? "no DKIM signature is valid" : `DKIM is valid for ${signed.join(", ")}`;
  const other =
    spf === undefined
      ? "SPF is not checked without a sender"
      : `SPF of ${spf.domain || "?"} is ${spf.result}`;
  report(
    "dmarc",
    `neither DKIM nor SPF is aligned with ${domain}, whose policy is ${policy.policy}: ${dkim}, ${other}`,
  );
}

/** The first address in a header. */
function addressIn(value: string): string {
  return /<([^<>\s]*)>/.exec(value)?.[1] ?? /[^\s<>,;"]+@[^\s<>,;"]+/.exec(value)?.[0] ?? "";
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}
