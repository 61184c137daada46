/** Prints rows as a table whose columns line up; the first row is the head. */
export function printTable(rows) {
  const widths = rows[0].map((_head, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  for (const [at, row] of rows.entries()) {
    console.log(row.map((cell, column) => pad(String(cell), widths[column], column === 0)).join("  "));
    if (at === 0) console.log(widths.map((width) => "-".repeat(width)).join("  "));
  }
}

function pad(text, width, left) {
  return left ? text.padEnd(width) : text.padStart(width);
}

export const whole = (value) => Math.round(value).toLocaleString("en-US");
export const times = (value) => `${value.toFixed(value < 10 ? 2 : 1)}x`;
