import type { ReturnValue } from "@tablekeep/core";
import { invalid } from "../item/refuse.ts";

/** Only an update can give what it changed. */
export function checkReturnsOld(asked: ReturnValue | undefined): void {
  if (asked !== undefined && asked !== "NONE" && asked !== "ALL_OLD") {
    throw invalid("ReturnValues can only be ALL_OLD or NONE");
  }
}
