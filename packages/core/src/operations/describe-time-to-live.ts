export interface DescribeTimeToLiveInput {
  TableName: string | undefined;
}

export interface DescribeTimeToLiveOutput {
  TimeToLiveDescription?: TimeToLiveDescription | undefined;
}

export interface TimeToLiveDescription {
  TimeToLiveStatus?: TimeToLiveStatus | undefined;
  AttributeName?: string | undefined;
}

export type TimeToLiveStatus = "ENABLING" | "DISABLING" | "ENABLED" | "DISABLED";
