import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareTable, fullTable } from "../../test/sample-tables.ts";
import { hclString } from "./hcl.ts";
import { toAwsCli } from "./to-aws-cli.ts";
import { toCloudFormation } from "./to-cloud-formation.ts";
import { toTerraform } from "./to-terraform.ts";

const specs = [fullTable("journal.events-v1"), bareTable("0-sessions")];

describe("toCloudFormation", () => {
  it("prints the expected template", async () => {
    await expect(toCloudFormation(specs)).toMatchFileSnapshot("fixtures/tables.cloudformation.json");
  });

  it("gives resources letters and digits as names, each its own", () => {
    const template = JSON.parse(toCloudFormation([bareTable("a-b"), bareTable("a.b"), bareTable("9x9")]));
    expect(Object.keys(template.Resources)).toEqual(["AB", "AB2", "Table9x9"]);
  });

  it("keeps tables when the stack goes", () => {
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
    await expect(toTerraform(specs)).toMatchFileSnapshot("fixtures/tables.tf");
  });

  it("closes every block and quote", () => {
    const structure = toTerraform(specs).replace(/"(?:[^"\\]|\\.)*"/g, "_");
    expect(structure).not.toContain('"');
    expect(structure.match(/\{/g)?.length).toBe(structure.match(/\}/g)?.length);
    let depth = 0;
    for (const line of structure.split("\n")) {
      if (/^\s*\}/.test(line)) depth -= 1;
      expect(line === "" || line.search(/\S/) === depth * 2).toBe(true);
      if (line.endsWith("{")) depth += 1;
    }
    expect(depth).toBe(0);
  });
});

describe("hclString", () => {
  it("starts no template and reads back as the same text", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is Terraform's
    expect(hclString("${a} %{b} $${c} $d 50%")).toBe('"$${a} %%{b} $$${c} $d 50%"');
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const quoted = hclString(text);
        expect(quoted).not.toMatch(/(?<![$])\$\{|(?<![%])%\{/);
        expect(readHcl(quoted)).toBe(text);
      }),
    );
  });
});

describe("toAwsCli", () => {
  it("prints the expected script", async () => {
    await expect(toAwsCli(specs)).toMatchFileSnapshot("fixtures/tables.sh");
  });
});

/** Reads a quoted template without sequences, by the escapes that the HCL specification lists. */
function readHcl(quoted: string): string {
  const plain: Record<string, string> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };
  return quoted
    .slice(1, -1)
    .replace(/\\(?:u([0-9a-fA-F]{4})|(.))|\$\$(?=\{)|%%(?=\{)/gs, (whole, hex?: string, code?: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (code === undefined) return whole.charAt(0);
      const read = plain[code];
      if (read === undefined) throw new Error(`HCL knows no escape \\${code}`);
      return read;
    });
}
