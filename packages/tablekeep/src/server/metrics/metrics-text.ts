import type { Metric, Sample } from "./metric.ts";

/** What the text below is, for the client. */
export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/** Metrics in Prometheus's text format. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics
    .map((metric) => {
      const { name, help, type } = metric;
      const lines = metric.samples().map((sample) => `${sampleText(name, sample)}\n`);
      return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`;
    })
    .join("");
}

function sampleText(name: string, { suffix = "", labels, value }: Sample): string {
  const parts = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${suffix}${parts.length === 0 ? "" : `{${parts.join(",")}}`} ${value}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
