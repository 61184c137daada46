import { n, pk, s, upTo } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

export const getItemCases: readonly PortCase[] = cases({ source: "AWS: API_GetItem", table: "simple" }, [
  { name: "GetItem of an absent key returns no item", getItem: { Key: { pk } }, returns: {} },
  {
    name: "GetItem distinguishes sort keys of one partition",
    table: "composite",
    given: { composite: [{ pk, sk: s("a") }] },
    getItem: { Key: { pk, sk: s("ab") } },
    returns: {},
  },
  {
    name: "GetItem accepts the key in any order of its attributes",
    table: "composite",
    given: { composite: [{ pk, sk: s("a"), x: { BOOL: false } }] },
    getItem: { Key: { sk: s("a"), pk } },
    returns: { Item: { pk, sk: s("a"), x: { BOOL: false } } },
  },
  {
    name: "GetItem with ConsistentRead sees every earlier write",
    source: "AWS docs: HowItWorks.ReadConsistency",
    steps: upTo(5).flatMap((version) => [
      { putItem: { Item: { pk, version: n(version) } } },
      { getItem: { Key: { pk }, ConsistentRead: true }, returns: { Item: { pk, version: n(version) } } },
    ]),
  },
  {
    name: "GetItem does not find an item by a key that differs in case",
    given: { simple: [{ pk: s("$pk-a") }] },
    getItem: { Key: { pk: s("$pk-A") } },
    returns: {},
  },
  {
    name: "GetItem of an absent table is rejected",
    getItem: { TableName: "absent-$name", Key: { pk: s("a") } },
    rejected: "ResourceNotFoundException",
  },
]);
