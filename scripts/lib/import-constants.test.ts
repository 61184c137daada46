import { parseAst } from "vite";
import { expect, test } from "vitest";
import { withConstants } from "./import-constants.mjs";

const changed = (code: string) => withConstants(code, parseAst(code).body);

test("an imported name becomes a constant, under the name that the module uses", () => {
  expect(changed('import a, { b, c as d, "e f" as g } from "./x.ts";\nd(a, b, g);')).toBe(
    'import { default as __imported_a, b as __imported_b, c as __imported_d, "e f" as __imported_g } from "./x.ts";' +
      " const a = __imported_a; const b = __imported_b; const d = __imported_d; const g = __imported_g;\nd(a, b, g);",
  );
});

test("attributes of an import stay", () => {
  expect(changed('import a from "./x.json" with { type: "json" };\na();')).toBe(
    'import { default as __imported_a } from "./x.json" with { type: "json" }; const a = __imported_a;\na();',
  );
});

test("no line moves", () => {
  const code = 'import {\n  a,\n  b,\n} from "x";\nimport { c } from "y";\nconst d = a + b + c;\n';
  const lines = changed(code).split("\n");
  expect(lines).toHaveLength(code.split("\n").length);
  expect(lines[5]).toBe("const d = a + b + c;");
});

test.each([
  'import { readFileSync } from "node:fs";',
  'import * as all from "./x.ts";',
  'import all, * as others from "./x.ts";',
  'import "./x.ts";',
  'export { a } from "./x.ts";',
  'export const later = () => import("./x.ts");',
])("%s stays as it is", (code) => {
  expect(changed(code)).toBe(code);
});

test("the tests of this repository run with it", () => {
  // Without it, the compiled code of this function would call getters of the imported modules.
  expect(String(changed)).toContain("withConstants(code, parseAst(code).body)");
  expect(String(changed)).not.toContain("__vi_import");
});
