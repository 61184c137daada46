/** The page of the bank. It shows the read model, and every change to it. */
export const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Bank</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 30rem; padding: 0 1rem; color: #1c1c1c; background: #fff }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid #ddd }
  th:last-child, td:last-child { text-align: right; font-variant-numeric: tabular-nums }
  tfoot td { font-weight: 600; border-bottom: 0 }
</style>
<h1>Balances</h1>
<p id="state" role="status">Connecting…</p>
<table>
  <thead><tr><th>Account<th>Status<th>Balance</thead>
  <tbody id="rows"></tbody>
  <tfoot><tr><td>All<td><td id="sum">0.00</tfoot>
</table>
<script>
  const byId = (id) => document.getElementById(id);
  const money = (cents) => (cents / 100).toFixed(2);
  const events = new EventSource("/balances/live");
  events.onopen = () => { byId("state").textContent = "Live" };
  events.onerror = () => { byId("state").textContent = "Not connected; trying again" };
  events.onmessage = ({ data }) => {
    const balances = JSON.parse(data);
    byId("rows").replaceChildren(...balances.map(({ account, status, cents }) => {
      const row = document.createElement("tr");
      for (const text of [account, status, money(cents)]) row.insertCell().textContent = text;
      return row;
    }));
    byId("sum").textContent = money(balances.reduce((sum, { cents }) => sum + cents, 0));
  };
</script>
`;

export const pageHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};
