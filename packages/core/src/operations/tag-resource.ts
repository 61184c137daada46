import type { Tag } from "./table-description.ts";

export interface TagResourceInput {
  ResourceArn: string | undefined;
  Tags: Tag[] | undefined;
}

export type TagResourceOutput = Record<never, never>;
