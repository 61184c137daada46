import type { Tag } from "./table-description.ts";

export interface ListTagsOfResourceInput {
  ResourceArn: string | undefined;
  NextToken?: string | undefined;
}

export interface ListTagsOfResourceOutput {
  Tags?: Tag[] | undefined;
  NextToken?: string | undefined;
}
