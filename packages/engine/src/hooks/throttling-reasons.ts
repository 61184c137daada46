/** The limits that DynamoDB names in `ThrottlingReasons`: of a table or an index, for reads or writes. */
export type ThrottlingReasonName =
  `${"Table" | "Index"}${"Read" | "Write"}${"ProvisionedThroughputExceeded" | "AccountLimitExceeded" | "KeyRangeThroughputExceeded" | "MaxOnDemandThroughputExceeded"}`;

const limits = [
  "ProvisionedThroughputExceeded",
  "AccountLimitExceeded",
  "KeyRangeThroughputExceeded",
  "MaxOnDemandThroughputExceeded",
] as const;

export const throttlingReasonNames: readonly ThrottlingReasonName[] = (["Table", "Index"] as const).flatMap(
  (resource) =>
    (["Read", "Write"] as const).flatMap((kind) =>
      limits.map((limit): ThrottlingReasonName => `${resource}${kind}${limit}`),
    ),
);
