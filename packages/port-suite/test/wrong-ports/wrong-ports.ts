import { wrongBatches } from "./wrong-batches.ts";
import type { WrongPort } from "./wrong-port.ts";
import { wrongQueries } from "./wrong-queries.ts";
import { wrongScans } from "./wrong-scans.ts";
import { wrongServices } from "./wrong-services.ts";
import { wrongTransactions } from "./wrong-transactions.ts";
import { wrongValues } from "./wrong-values.ts";
import { wrongWrites } from "./wrong-writes.ts";

/** Every deliberately wrong port. A suite for ports is sharp if each of them fails at least one case. */
export const wrongPorts: readonly WrongPort[] = [
  ...wrongWrites,
  ...wrongValues,
  ...wrongQueries,
  ...wrongScans,
  ...wrongBatches,
  ...wrongTransactions,
  ...wrongServices,
];
