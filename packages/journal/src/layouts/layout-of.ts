import type { ResolvedJournalOptions } from "../journal-options.ts";
import { bucketedLayout } from "./bucketed/bucketed-layout.ts";
import type { Layout } from "./layout.ts";

/** The layout that the options name. */
export function layoutOf(options: ResolvedJournalOptions): Layout {
  return bucketedLayout(options);
}
