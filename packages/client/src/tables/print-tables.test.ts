import { describe, expect, it } from "vitest";
import { bareTable, fullTable } from "../../test/sample-tables.ts";
import { toAwsCli, toCloudFormation, toTerraform } from "./print-tables.ts";

const specs = [fullTable("journal.events-v1"), bareTable("0-sessions")];

describe("toCloudFormation", () => {
  it("prints the expected template", async () => {
    await expect(toCloudFormation(specs)).toMatchFileSnapshot("fixtures/tables.cloudformation.json");
  });

  it("names resources with letters and digits, each differently", () => {
    const template = JSON.parse(toCloudFormation([bareTable("a-b"), bareTable("a.b"), bareTable("9x9")]));
    expect(Object.keys(template.Resources)).toEqual(["AB", "AB2", "Table9x9"]);
  });

  it("keeps tables when the stack is deleted", () => {
    const template = JSON.parse(toCloudFormation(specs));
    for (const resource of Object.values(template.Resources)) {
      expect(resource).toMatchObject({
        Type: "AWS::DynamoDB::Table",
        DeletionPolicy: "Retain",
        UpdateReplacePolicy: "Retain",
      });
    }
  });

  it("switches the stream on by its view alone", () => {
    const template = JSON.parse(toCloudFormation(specs));
    expect(template.Resources.JournalEventsV1.Properties.StreamSpecification).toEqual({
      StreamViewType: "NEW_AND_OLD_IMAGES",
    });
  });
});

describe("toTerraform", () => {
  it("prints the expected resources", async () => {
    await expect(toTerraform(specs)).toMatchFileSnapshot("fixtures/tables.tf.json");
  });

  it("starts no template in any string", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the string is Terraform's
    const tags = { owner: "${a} %{b} $${c} $d 50%" };
    const json = JSON.parse(toTerraform([{ ...bareTable("table"), tags }]));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the string is Terraform's
    expect(json.resource.aws_dynamodb_table.table.tags.owner).toBe("$${a} %%{b} $$${c} $d 50%");
  });

  it("names resources with words, each differently", () => {
    const json = JSON.parse(toTerraform([bareTable("a-b"), bareTable("A.B"), bareTable("9x9")]));
    expect(Object.keys(json.resource.aws_dynamodb_table)).toEqual(["a_b", "a_b2", "table_9x9"]);
  });
});

describe("toAwsCli", () => {
  it("prints the expected script", async () => {
    await expect(toAwsCli(specs)).toMatchFileSnapshot("fixtures/tables.sh");
  });
});
