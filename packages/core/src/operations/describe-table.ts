import type { TableDescription } from "./table-description.ts";

export interface DescribeTableInput {
  TableName: string | undefined;
}

export interface DescribeTableOutput {
  Table?: TableDescription | undefined;
}
