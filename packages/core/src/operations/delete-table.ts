import type { TableDescription } from "./table-description.ts";

export interface DeleteTableInput {
  TableName: string | undefined;
}

export interface DeleteTableOutput {
  TableDescription?: TableDescription | undefined;
}
