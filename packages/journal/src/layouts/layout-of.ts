import type { ResolvedJournalOptions } from "../journal-options.ts";
import { bucketedLayout } from "./bucketed/bucketed-layout.ts";
import type { Layout } from "./layout.ts";
import { linearLayout } from "./linear/linear-layout.ts";
import { scatteredLayout } from "./scattered/scattered-layout.ts";

/** The layout that the options name. */
export function layoutOf(options: ResolvedJournalOptions): Layout {
  switch (options.layout) {
    case "bucketed":
      return bucketedLayout(options);
    case "linear":
      return linearLayout({ ...options, names: options.keyNames });
    case "scattered":
      return scatteredLayout(options);
  }
}
