/**
 * The three shapes of 1 KB items that benchmarks run with. One long string is the easiest for every side; most real items are
 * many small attributes, or a JSON document in a string, whose quotes must be escaped again on the wire.
 * BENCH_SHAPES=long,many,escaped restricts a run to some of them.
 */
const document = JSON.stringify({
  path: "C:\\orders\\2026\\11",
  note: 'He said "fine" – naïve façade, 日本語, 🚚',
  lines: Array.from({ length: 9 }, (_unused, at) => ({
    sku: `SKU-${at}`,
    title: `Größe "${at}"`,
    cents: 1999 + at,
  })),
});

/** The payloads, as plain objects. */
const payloads = {
  long: { data: "x".repeat(950) },
  many: {
    customer: "c-81f2a9",
    email: "ann.example@example.org",
    status: "paid",
    currency: "EUR",
    total: 129.95,
    tax: 20.75,
    discount: 0,
    items: 3,
    weight: 1.25,
    gift: false,
    express: true,
    coupon: null,
    created: 1_794_800_000_123,
    updated: 1_794_800_456_789,
    channel: "web",
    locale: "de-DE",
    note: "Leave at the door, please ring twice.".repeat(4),
    warehouse: "FRA-2",
    address: { street: "Example Street 12", city: "Springfield", zip: "12345", country: "DE", floor: 3 },
    tags: ["new-customer", "newsletter", "b2c", "autumn-2026", "high-value"],
  },
  escaped: { document },
};

const titles = { long: "one long string", many: "twenty attributes", escaped: "escaped JSON" };

const wanted = (process.env.BENCH_SHAPES ?? Object.keys(payloads).join(",")).split(",");

/** The shapes of this run: a title, the payload as an object, and as attributes of an item. */
export const shapes = wanted.map((name) => {
  if (payloads[name] === undefined)
    throw new Error(`BENCH_SHAPES names ${name}; there are: ${Object.keys(payloads).join(", ")}`);
  return { name, title: titles[name], payload: payloads[name], attributes: attributeOf(payloads[name]).M };
});

/** A plain value as DynamoDB's attribute value. */
function attributeOf(value) {
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.map(attributeOf) };
  switch (typeof value) {
    case "string":
      return { S: value };
    case "number":
      return { N: String(value) };
    case "boolean":
      return { BOOL: value };
    default:
      return {
        M: Object.fromEntries(Object.entries(value).map(([name, each]) => [name, attributeOf(each)])),
      };
  }
}
