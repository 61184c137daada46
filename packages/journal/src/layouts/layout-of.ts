import { bucketedLayout } from "./bucketed-layout.ts";
import type { Layout, LayoutName } from "./layout.ts";
import { type LinearNames, linearLayout } from "./linear-layout.ts";
import { packedLayout } from "./packed-layout.ts";
import { scatteredLayout } from "./scattered-layout.ts";

/** The options that select a layout. */
export interface LayoutOptions {
  readonly layout: LayoutName;
  readonly journalName: string;
  readonly sequenceShards: number;
  readonly keyNames: LinearNames;
}

/** The layout that the options name. */
export function layoutOf(options: LayoutOptions): Layout {
  switch (options.layout) {
    case "packed":
      return packedLayout(options);
    case "bucketed":
      return bucketedLayout(options);
    case "linear":
      return linearLayout({ ...options, names: options.keyNames });
    case "scattered":
      return scatteredLayout(options);
  }
}
