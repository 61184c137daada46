import type { Clock, Logger } from "@tablekeep/core";
import type { Mail } from "@tablekeep/mail";
import type { Backend } from "../../backend/open-backend.ts";
import { counter, type Metric } from "../../metrics/metrics.ts";
import { invalidOption } from "../../options/option-checks.ts";
import type { MailConfig } from "../../options/store-configs.ts";
import type { Inboxes } from "../inboxes/inboxes.ts";
import type { ServedMail } from "../served-mail.ts";
import { autoRelay } from "./auto-relay.ts";
import { cursorStore } from "./cursor-store.ts";
import { forwardMessages } from "./forward-messages.ts";
import { webHook } from "./web-hook.ts";

/** The forwarding of a server. */
export interface RunningForwards {
  readonly metric: Metric;
  stop(): Promise<void>;
}

/** Starts the web hooks and the automatic relay that are configured. */
export function startForwarding(
  { mail, inboxes, releaser, hostname }: Pick<ServedMail, "mail" | "inboxes" | "releaser" | "hostname">,
  { port }: Pick<Backend, "port">,
  { hooks = [], relayRule, store }: MailConfig,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): RunningForwards {
  if (relayRule !== undefined && !releaser.relays.has(relayRule.relay))
    throw invalidOption("relayRule", `names the unknown relay ${JSON.stringify(relayRule.relay)}`);
  const metric = counter(
    "tablekeep_mail_forwards_total",
    "Messages for web hooks and automatic relay: forwarded, or failed for good.",
    ["target", "outcome"],
  );
  const named = hooks.find(({ inbox }) => inbox !== undefined);
  if (named !== undefined && store?.layout === "mhdynamo")
    throw invalidOption("hooks", `names the inbox ${named.inbox}: the layout mhdynamo has no inboxes`);
  const targets = [
    ...hooks.map((hook) => ({
      target: webHook(hook, clock),
      from: hook.inbox === undefined ? mail : inboxMail(inboxes, hook.inbox),
    })),
    ...(relayRule === undefined
      ? []
      : [{ target: autoRelay(relayRule, { mail, releaser, hostname }), from: mail }]),
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
    async stop() {
      await Promise.all(running.map((each) => each.stop()));
    },
  };
}

/** The mail of a named inbox, which is opened when it is read: a start of the server does not wait for it. */
function inboxMail(inboxes: Inboxes, name: string): Pick<Mail, "watch" | "list" | "summary"> {
  const open = async () => (await inboxes.open(name)).mail;
  return {
    list: async (page) => (await open()).list(page),
    summary: async (id, options) => (await open()).summary(id, options),
    async *watch(options) {
      yield* (await open()).watch(options);
    },
  };
}
