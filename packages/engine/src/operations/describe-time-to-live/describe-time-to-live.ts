import { tableNotFound } from "../../catalog/catalog.ts";
import type { Operation } from "../operation.ts";

export const describeTimeToLive: Operation<"DescribeTimeToLive"> = (database, { TableName = "" }) => {
  const table = database.catalog.find(TableName);
  if (table === undefined) throw tableNotFound(TableName);
  const { timeToLive } = table.record;
  if (timeToLive === undefined) return { TimeToLiveDescription: { TimeToLiveStatus: "DISABLED" } };
  return {
    TimeToLiveDescription: {
      TimeToLiveStatus: timeToLive.filled ? "ENABLED" : "ENABLING",
      AttributeName: timeToLive.attribute,
    },
  };
};
