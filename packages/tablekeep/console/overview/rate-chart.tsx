import type { VNode } from "preact";

export interface RateChartProps {
  readonly label: string;
  /** Rates per second, the newest last. */
  readonly rates: readonly number[];
}

const [width, height] = [240, 48];
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** Rates as a small line, with the newest and the highest as text. */
export function RateChart({ label, rates }: RateChartProps): VNode {
  const highest = Math.max(...rates, 1);
  const step = width / Math.max(1, rates.length - 1);
  const points = rates.map((rate, at) => `${at * step},${height - 2 - (rate / highest) * (height - 4)}`);
  const now = rates.at(-1);
  const text =
    now === undefined
      ? "measuring"
      : `${number.format(now)} now, ${number.format(Math.max(...rates))} at most`;
  return (
    <figure class="chart-card">
      <figcaption>
        {label} <span class="dim">{text}</span>
      </figcaption>
      <svg
        class="chart"
        role="img"
        aria-label={`${label}: ${text}`}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
      >
        <polyline points={points.join(" ")} />
      </svg>
    </figure>
  );
}
