import { isIP } from "node:net";
import { optionCheck } from "@tablekeep/core";
import { nextTurn } from "../model/background-work.ts";
import { checkBytes, checkOptions, optionInvalid } from "../model/mail-error.ts";
import { parseZone } from "./auth/zone.ts";
import { isKnownClient, usualClients } from "./html/client-support.ts";
import { type ParsedHtml, parseHtml } from "./html/parse-html.ts";
import { findingOf, type LintFinding, type LintRuleId, lintRules, type Report } from "./lint-rules.ts";
import { readLinted } from "./read-linted.ts";
import { checkAuthentication, type LintSender } from "./rules/authentication-rules.ts";
import { checkContent, checkTemplates } from "./rules/content-rules.ts";
import { checkFeatures } from "./rules/feature-rule.ts";
import { checkHeaders, checkUnsubscribe } from "./rules/header-rules.ts";
import { checkLinks, checkTextLinks } from "./rules/link-rules.ts";

/** Options of {@link lintMessage}. */
export interface LintOptions {
  /**
   * Clients whose support of HTML and CSS is checked: families, such as `gmail`, or single ones, such as `outlook/windows`.
   * @default apple-mail, gmail, outlook, yahoo
   */
  readonly clients?: readonly string[];
  /** Rules that are not checked. @default none */
  readonly ignore?: readonly LintRuleId[];
  /** Hosts that links may point to although readers cannot reach them, such as `localhost`. @default none */
  readonly allowHosts?: readonly string[];
  /** The message is bulk mail, which must have one-click unsubscription. @default false: only if its headers say so */
  readonly bulk?: boolean;
  /** A zone file with DNS records: DKIM, SPF and DMARC are checked with it. @default none: they are not checked */
  readonly zone?: string;
  /** The sender of the message, for SPF. Needs `zone`. @default none: SPF is not checked */
  readonly sender?: LintSender;
  /** Milliseconds since 1970 at which signatures must not have expired. @default the time in Date */
  readonly now?: number;
}

/** The maximum number of findings of one rule; further ones are omitted. */
const maxPerRule = 100;

/**
 * Checks a message, without a network: the same bytes and options give the same findings. Sorted by severity, then by rule.
 *
 * @example
 * const findings = await lintMessage(message.raw, { allowHosts: ["localhost"] });
 * for (const { rule, message: text, fix } of findings) console.log(rule, text, fix);
 */
export async function lintMessage(raw: Uint8Array, options: LintOptions = {}): Promise<LintFinding[]> {
  checkBytes(raw);
  const { clients = usualClients, allowHosts = [], bulk = false, ignore = [] } = checkLintOptions(options);
  const { zone, sender, now } = options;
  const findings: LintFinding[] = [];
  const counts = new Map<LintRuleId, number>();
  const report: Report = (rule, message, more) => {
    const count = (counts.get(rule) ?? 0) + 1;
    counts.set(rule, count);
    if (!ignore.includes(rule) && count <= maxPerRule) findings.push(findingOf(rule, message, more));
  };
  const message = readLinted(raw);
  checkHeaders(message, report);
  checkUnsubscribe(message, bulk, report);
  checkContent(message, report);
  // A large message takes several turns of the event loop.
  await nextTurn();
  const hosts = allowHosts.map((host) => host.toLowerCase());
  const htmls: ParsedHtml[] = [];
  for (const { html } of message.htmls) {
    const parsed = parseHtml(html);
    htmls.push(parsed);
    await nextTurn();
    checkLinks(parsed, { contentIds: message.contentIds, allowHosts: hosts }, report);
    checkFeatures(parsed, clients, report);
    await nextTurn();
  }
  checkTextLinks(message.texts, htmls, hosts, report);
  checkTemplates(
    message,
    htmls.map(({ text }) => text),
    report,
  );
  if (zone !== undefined) await checkAuthentication(message, { zone: parseZone(zone), sender, now }, report);
  return findings.toSorted(inOrder);
}

/** Throws for options that are invalid. */
export function checkLintOptions(options: LintOptions): LintOptions {
  checkOptions(options, {
    clients: optionCheck.arrayOf(optionCheck.nonEmptyString),
    ignore: optionCheck.arrayOf(optionCheck.oneOf(...Object.keys(lintRules))),
    allowHosts: optionCheck.arrayOf(optionCheck.nonEmptyString),
    bulk: optionCheck.boolean,
    zone: optionCheck.string,
    sender: () => undefined,
    now: optionCheck.integer(0),
  });
  if (options.sender !== undefined) checkSender(options.sender);
  const unknown = options.clients?.find((client) => !isKnownClient(client));
  if (unknown !== undefined)
    throw optionInvalid(
      "clients",
      `has an unknown client ${JSON.stringify(unknown)}; expected one such as gmail`,
    );
  return options;
}

function checkSender(sender: LintSender): void {
  checkOptions(sender, { ip: optionCheck.string, from: optionCheck.string, helo: optionCheck.string });
  if (isIP(sender.ip) === 0)
    throw optionInvalid("sender.ip", `must be an IP address, got ${JSON.stringify(sender.ip)}`);
}

const severities = ["error", "warning", "info"];
const ids = Object.keys(lintRules);

function inOrder(one: LintFinding, other: LintFinding): number {
  return (
    severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
    ids.indexOf(one.rule) - ids.indexOf(other.rule)
  );
}
