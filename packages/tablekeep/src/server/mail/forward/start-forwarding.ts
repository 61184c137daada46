import { waitWithin } from "@tablekeep/client";
import type { Clock, Logger } from "@tablekeep/core";
import type { Mail } from "@tablekeep/mail";
import type { Backend } from "../../backend/open-backend.ts";
import { counter, type Metric } from "../../metrics/metrics.ts";
import { invalidOption } from "../../options/option-checks.ts";
import type { MailConfig } from "../../options/store-configs.ts";
import type { Releaser } from "../../release/releaser.ts";
import type { RelayRule } from "../../setting-files/relay-rules.ts";
import type { Inboxes } from "../inboxes/inboxes.ts";
import type { ServedMail } from "../served-mail.ts";
import { autoRelay } from "./auto-relay.ts";
import { cursorStore } from "./cursor-store.ts";
import { forwardMessages } from "./forward-messages.ts";
import { webHook } from "./web-hook.ts";

/** The forwarding of a server. */
export interface RunningForwards {
  readonly metric: Metric;
  /** Resolves once every later message is forwarded, or, if the store does not respond, after some seconds. */
  started(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the configured web hooks and the automatic relay. */
export function startForwarding(
  { mail, inboxes, releaser, hostname }: Pick<ServedMail, "mail" | "inboxes" | "releaser" | "hostname">,
  { port }: Pick<Backend, "port">,
  { hooks = [], relayRules = [], store }: MailConfig,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): RunningForwards {
  checkRelayRules(relayRules, releaser);
  const metric = counter(
    "tablekeep_mail_forwards_total",
    "Messages for web hooks and automatic relay: forwarded, or given up.",
    ["target", "outcome"],
  );
  for (const [option, rules] of Object.entries({ hooks, relayRules })) {
    const named = rules.find(({ inbox }) => inbox !== undefined);
    if (named !== undefined && store?.layout === "mhdynamo")
      throw invalidOption(option, `names the inbox ${named.inbox}: the layout mhdynamo has no inboxes`);
  }
  const mailOf = (inbox: string | undefined) => (inbox === undefined ? mail : inboxMail(inboxes, inbox));
  const targets = [
    ...hooks.map((hook) => ({ target: webHook(hook, clock), from: mailOf(hook.inbox) })),
    ...relayRules.map((rule) => {
      const from = mailOf(rule.inbox);
      return { target: autoRelay(rule, { mail: from, releaser, hostname }), from };
    }),
  ];
  const cursors = cursorStore(port, store);
  const running = targets.map(({ target, from }) =>
    forwardMessages(target, {
      mail: from,
      cursors,
      clock,
      logger,
      onOutcome: (outcome) => metric.count(target.name, outcome),
    }),
  );
  return {
    metric,
    async started() {
      try {
        const all = Promise.all(running.map((each) => each.started));
        await waitWithin({ clock, deadlineMs: startMs }, all);
      } catch (error) {
        logger.warn(
          "web hooks and relays have not started; messages that arrive before that may be skipped",
          {
            error,
          },
        );
      }
    },
    async stop() {
      await Promise.all(running.map((each) => each.stop()));
    },
  };
}

/** Milliseconds for which the start of a server waits for the positions of web hooks and relays. */
const startMs = 10_000;

/** A position belongs to one relay and one inbox. */
function checkRelayRules(rules: readonly RelayRule[], { relays }: Pick<Releaser, "relays">): void {
  const seen = new Set<string>();
  for (const { relay, inbox = "" } of rules) {
    if (!relays.has(relay))
      throw invalidOption("relayRules", `names the unknown relay ${JSON.stringify(relay)}`);
    const key = `${relay}:${inbox}`;
    if (seen.has(key))
      throw invalidOption(
        "relayRules",
        `has two rules for the relay ${relay}${inbox && ` and the inbox ${inbox}`}: use one with all patterns`,
      );
    seen.add(key);
  }
}

/** The mail of a named inbox, which is opened when it is read. */
function inboxMail(inboxes: Inboxes, name: string): Pick<Mail, "watch" | "list" | "summary" | "load"> {
  const open = async () => (await inboxes.open(name)).mail;
  return {
    list: async (page) => (await open()).list(page),
    load: async (id, options) => (await open()).load(id, options),
    summary: async (id, options) => (await open()).summary(id, options),
    async *watch(options) {
      yield* (await open()).watch(options);
    },
  };
}
