import { putItemCases } from "./cases/put-item.ts";
import type { PortCase } from "./port-case.ts";

/** Every case of the suite, operation by operation. */
export const allCases: readonly PortCase[] = [...putItemCases];
