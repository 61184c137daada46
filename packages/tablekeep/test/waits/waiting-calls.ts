import { clientCalls, engineCalls, testkitCalls } from "./access-calls.ts";
import { feedCalls } from "./feed-calls.ts";
import { journalCalls, snapshotCalls } from "./journal-calls.ts";
import type { WaitingCall } from "./program.ts";
import { programCalls } from "./program-calls.ts";
import { storeCalls } from "./store-calls.ts";

/** The public calls that wait: at least one for each file that sets a timer for a caller. */
export const waitingCalls: Readonly<Record<string, WaitingCall>> = {
  ...clientCalls,
  ...engineCalls,
  ...journalCalls,
  ...snapshotCalls,
  ...feedCalls,
  ...storeCalls,
  ...programCalls,
  ...testkitCalls,
};

const byItsSocket = "an open socket keeps the process alive";

/** Files that set timers without a case here, and why. */
export const otherTimers: Readonly<Record<string, string>> = {
  "client/src/credentials/refreshing-source.ts": "background work: each call waits with its own deadline",
  "core/src/clock.ts": "defines them",
  "engine/src/jobs/background.ts": "background work",
  "engine/src/storage/compact-folder.ts": "background work, which ends with the copy",
  "engine/src/jobs/work-budget.ts": "background work",
  "engine/src/storage/mapped-memory.ts": "background work",
  "engine/src/storage/move-schedule.ts": "background work",
  "entity/src/cell/cell-keeper.ts": "background work",
  "feed/src/projections/run/external-position.ts": "the deadline of a handler, which has a case",
  "feed/src/sequencer/remove-generations.ts": "background work of feed.run",
  "mail/src/feed/ordered-delivery.ts": "background work: ends with the last watcher",
  "shadow/src/connectivity/connection-log.ts": "background work: the listener keeps the process alive",
  "tablekeep/src/cli/doctor/check-clock.ts": byItsSocket,
  "tablekeep/src/cli/tables/verify-table.ts": "the timer itself keeps the process alive",
  "tablekeep/src/cli/commands/feed-wait.ts": "the timer itself keeps the process alive",
  "tablekeep/src/cli/commands/projection-watch.ts": "runs until it is stopped",
  "tablekeep/src/cli/mcp/served-folder.ts": "the connection of the client keeps the process alive",
  "tablekeep/src/cli/mcp/call-tool.ts": "the connection of the client keeps the process alive",
  "tablekeep/src/server/entity-folds/start-fold-thread.ts": "the request that waits has an open socket",
  "tablekeep/src/server/http/event-stream.ts": byItsSocket,
  "tablekeep/src/server/http/http-listener.ts": byItsSocket,
  "tablekeep/src/server/http/send-pieces.ts": byItsSocket,
  "tablekeep/src/server/listening/run-listeners.ts":
    "background work: the other listeners keep the process alive",
  "tablekeep/src/server/mail/mailhog/mailhog-push.ts": byItsSocket,
  "tablekeep/src/server/release/deliver.ts": byItsSocket,
  "tablekeep/src/server/shadow/own-changes.ts": "background work",
  "tablekeep/src/simulator/device-link.ts": byItsSocket,
  "tablekeep/src/testing/call-server.ts": byItsSocket,
  "tablekeep/src/testing/call-through-restart.ts": "the timer itself keeps the process alive",
  "tablekeep/src/simulator/simulated-device.ts": byItsSocket,
  "tablekeep/src/server/mqtt/sessions/delayed-writes.ts":
    "background work: the listener keeps the process alive",
  "tablekeep/src/server/mqtt/sessions/last-wills.ts": "background work",
  "tablekeep/src/server/mqtt/sessions/write-behind.ts":
    "background work: the listener keeps the process alive",
  "tablekeep/src/server/mqtt/mqtt-broker.ts": byItsSocket,
  "tablekeep/src/server/mqtt/protocol/mqtt-connection.ts": byItsSocket,
  "tablekeep/src/server/mqtt/mqtt-listener.ts": byItsSocket,
  "tablekeep/src/server/mqtt/rejection-log.ts": "background work",
  "tablekeep/src/server/mqtt/session-registry.ts": "background work",
  "tablekeep/src/server/mqtt/mqtt-client.ts": byItsSocket,
  "mail/src/imap/server/imap-mailbox.ts": byItsSocket,
  "mail/src/retention.ts": "background work, which ends with the store",
  "mail/src/layouts/sharded/search/build-blocks.ts": "background work, which ends with the store",
  "mail/src/layouts/sharded/change/sweep-eras.ts": "background work, which ends with the store",
  "tablekeep/src/server/journal/feed/feed-sequencer.ts": "background work: listeners keep the process alive",
  "tablekeep/src/server/journal/feed/feed-verifier.ts": byItsSocket,
  "tablekeep/src/server/journal/journal-verifier.ts": byItsSocket,
  "tablekeep/src/server/mail/forward/forward-messages.ts": "background work",
  "tablekeep/src/server/web-hooks/post-hook.ts": byItsSocket,
  "tablekeep/src/server/shadow/rollout-runner.ts": "background work",
  "tablekeep/src/server/shadow/stream-changes.ts": "background work",
  "tablekeep/src/server/shadow/polled-changes.ts": "background work",
  "tablekeep/src/server/shadow/rules/rule-delivery.ts": "background work",
  "tablekeep/src/server/shadow/rules/run-rules.ts": "background work",
  "tablekeep/src/server/shadow/table-lease.ts": "background work",
  "tablekeep/src/server/shadow/service-status.ts": "background work",
  "tablekeep/src/server/shadow/sync/iot-cloud.ts": byItsSocket,
  "tablekeep/src/server/shadow/sync/run-sync.ts": "background work",
  "mail/src/smtp/server/smtp-connection.ts": byItsSocket,
  "mail/src/smtp/server/smtp-server.ts": byItsSocket,
  "mail/src/smtp/server/start-tls.ts": byItsSocket,
};
