import { supportOf } from "../html/client-support.ts";
import { featuresOf } from "../html/html-features.ts";
import type { ParsedHtml } from "../html/parse-html.ts";
import type { Report } from "../lint-rules.ts";

/** Features that nothing can replace, or whose absence does no harm. */
const ignored: ReadonlySet<string> = new Set(["css-comments", "html-comments", "html-doctype", "html-body"]);

/** Reports each feature that one of the clients does not support. */
export function checkFeatures(html: ParsedHtml, clients: readonly string[], report: Report): void {
  for (const [feature, line] of featuresOf(html)) {
    if (ignored.has(feature)) continue;
    const support = supportOf(feature, clients);
    if (support === undefined) continue;
    const { title, unsupported, partial } = support;
    const where = `line ${line}`;
    if (unsupported.length > 0)
      report("html-feature", `${title} (${feature}) is not supported by ${unsupported.join(", ")}`, {
        where,
      });
    else if (partial.length > 0)
      report("html-feature", `${title} (${feature}) is partly supported by ${partial.join(", ")}`, {
        where,
        severity: "info",
      });
  }
}
