export type DescribeLimitsInput = Record<never, never>;

export interface DescribeLimitsOutput {
  AccountMaxReadCapacityUnits?: number | undefined;
  AccountMaxWriteCapacityUnits?: number | undefined;
  TableMaxReadCapacityUnits?: number | undefined;
  TableMaxWriteCapacityUnits?: number | undefined;
}
