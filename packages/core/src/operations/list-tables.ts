export interface ListTablesInput {
  ExclusiveStartTableName?: string | undefined;
  Limit?: number | undefined;
}

export interface ListTablesOutput {
  TableNames?: string[] | undefined;
  LastEvaluatedTableName?: string | undefined;
}
