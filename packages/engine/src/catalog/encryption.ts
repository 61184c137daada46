import type { SSESpecification } from "@tablekeep/core";
import { invalidParameter } from "../item/refuse.ts";
import type { Place } from "./table-arn.ts";
import type { StoredTableDescription } from "./table-model.ts";

/** What a table says of its encryption. It is said, so that programs can ask; files are as the disk has them. */
export function encryptionOf(
  { region, accountId }: Place,
  given: SSESpecification | undefined,
): StoredTableDescription["SSEDescription"] {
  const { Enabled, SSEType, KMSMasterKeyId } = given ?? {};
  if (Enabled === false && SSEType !== undefined) {
    throw invalidParameter("SSEType can not be specified if Enabled is false");
  }
  if (Enabled === false && KMSMasterKeyId !== undefined) {
    throw invalidParameter("KMSMasterKeyId can not be specified if Enabled is false");
  }
  if (SSEType === "AES256") throw invalidParameter("SSEType AES256 is not supported");
  if (KMSMasterKeyId !== undefined && SSEType === undefined) {
    throw invalidParameter("SSEType KMS is required if KMSMasterKeyId is specified");
  }
  if (!(Enabled ?? SSEType !== undefined)) return undefined;
  return {
    Status: "ENABLED",
    SSEType: "KMS",
    KMSMasterKeyArn: KMSMasterKeyId ?? `arn:aws:kms:${region}:${accountId}:alias/aws/dynamodb`,
  };
}
