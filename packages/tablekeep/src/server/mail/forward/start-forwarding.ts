import type { Clock, Logger } from "@tablekeep/core";
import type { Backend } from "../../backend/open-backend.ts";
import { counter, type Metric } from "../../metrics/metrics.ts";
import { invalidOption } from "../../options/option-checks.ts";
import type { MailConfig } from "../../options/store-configs.ts";
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
  { mail, releaser, hostname }: Pick<ServedMail, "mail" | "releaser" | "hostname">,
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
  const targets = [
    ...hooks.map((hook) => webHook(hook, clock)),
    ...(relayRule === undefined ? [] : [autoRelay(relayRule, { mail, releaser, hostname })]),
  ];
  const cursors = cursorStore(port, store);
  const running = targets.map((target) =>
    forwardMessages(target, {
      mail,
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
