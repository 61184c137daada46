/** The inbox page: a list that fills itself, and one message at a time. Everything that comes from a mail is set as text. */
const api = "/api/v3/mail";

/** The page never holds more rows than that: older ones take the place of newer ones. */
const maxRows = 200;

const byId = (id) => document.getElementById(id);
const list = byId("list");
let search = new URLSearchParams();
let next;
let shown;
let view = "html";

/** Asks the server; trouble is told at the bottom of the page. */
async function ask(path, options) {
  try {
    const answer = await fetch(api + path, options);
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.error);
    byId("trouble").hidden = true;
    return body;
  } catch (error) {
    byId("trouble").hidden = false;
    byId("trouble").textContent = error.message;
    throw error;
  }
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

const sizeOf = (bytes) =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${(bytes / 1024).toFixed(1)} KB`
      : `${(bytes / 1024 ** 2).toFixed(1)} MB`;

function timeOf(iso) {
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString() : date.toLocaleDateString();
}

function rowOf(message) {
  const row = document.createElement("li");
  row.dataset.id = message.id;
  const button = document.createElement("button");
  button.type = "button";
  button.append(
    element("span", "subject", message.subject || "(no subject)"),
    element("span", "dim", timeOf(message.created)),
    element("span", "dim", `${message.from || message.envelope.from} → ${message.envelope.to.join(", ")}`),
    element(
      "span",
      "dim",
      `${message.attachments > 0 ? `${message.attachments} attached, ` : ""}${sizeOf(message.size)}`,
    ),
    element("span", "dim", message.preview),
  );
  button.addEventListener("click", () => void open(message.id));
  row.append(button);
  return row;
}

const rowWith = (id) => list.querySelector(`li[data-id="${CSS.escape(id)}"]`);

/** Shows what a page without messages needs, and how many there are. */
async function refreshCount() {
  const { count } = await ask("/count");
  byId("count").textContent = count.toLocaleString();
  const isSearch = search.has("query");
  byId("empty").hidden = isSearch || list.childElementCount > 0;
  byId("nothing").hidden = !isSearch || list.childElementCount > 0;
}

async function load(older) {
  const query = new URLSearchParams(search);
  if (older && next) query.set("cursor", next);
  const page = await ask(`/messages?${query}`);
  if (!older) list.replaceChildren();
  for (const message of page.messages) if (!rowWith(message.id)) list.append(rowOf(message));
  while (list.childElementCount > maxRows) list.firstElementChild.remove();
  next = page.next;
  byId("older").hidden = next === undefined;
  await refreshCount();
}

async function open(id) {
  shown = await ask(`/messages/${encodeURIComponent(id)}`);
  for (const row of list.children)
    row.firstElementChild.setAttribute("aria-current", String(row.dataset.id === id));
  byId("subject").textContent = shown.subject || "(no subject)";
  const people = (addresses) =>
    addresses.map(({ name, address }) => (name ? `${name} <${address}>` : address)).join(", ");
  const facts = [
    ["From", people(shown.addresses.from) || shown.envelope.from],
    ["To", people(shown.addresses.to)],
    ["Cc", people(shown.addresses.cc)],
    ["Sent to", shown.envelope.to.join(", ")],
    ["Received", `${new Date(shown.created).toLocaleString()} from ${shown.envelope.helo}`],
  ];
  byId("facts").replaceChildren(
    ...facts
      .filter(([, value]) => value !== "")
      .flatMap(([name, value]) => [element("dt", "", name), element("dd", "", value)]),
  );
  const path = `${api}/messages/${encodeURIComponent(id)}`;
  byId("attachments").replaceChildren(
    ...shown.attachments.map(({ index, filename, size }) => {
      const link = element("a", "", `${filename || `attachment ${index + 1}`} (${sizeOf(size)})`);
      link.href = `${path}/attachments/${index}`;
      link.download = "";
      return link;
    }),
  );
  byId("download").href = `${path}/raw`;
  byId("message").hidden = false;
  document.body.classList.add("open");
  await show(shown.html === "" && view === "html" ? "text" : view);
}

/** One view of the message that is open. */
async function show(wanted, remote = false) {
  if (wanted !== "html" || shown.html !== "") view = wanted;
  const path = `${api}/messages/${encodeURIComponent(shown.id)}`;
  const isHtml = wanted === "html";
  for (const tab of document.querySelectorAll("[role=tab]")) {
    tab.setAttribute("aria-selected", String(tab.dataset.view === wanted));
    tab.disabled = tab.dataset.view === "html" && shown.html === "";
  }
  byId("frame").hidden = !isHtml;
  byId("plain").hidden = isHtml;
  byId("remote").hidden =
    !isHtml ||
    remote ||
    !/(\bsrc|background)\s*=\s*["']?\s*(https?:)?\/\/|url\(\s*["']?\s*(https?:)?\/\//i.test(shown.html);
  if (isHtml) byId("frame").src = `${path}/html${remote ? "?remote=true" : ""}`;
  else byId("frame").removeAttribute("src");
  if (wanted === "text") byId("plain").textContent = shown.text;
  if (wanted === "headers")
    byId("plain").textContent = shown.headers.map(({ name, value }) => `${name}: ${value}`).join("\n");
  if (wanted === "source") byId("plain").textContent = await (await fetch(`${path}/raw`)).text();
}

function close() {
  shown = undefined;
  byId("message").hidden = true;
  byId("frame").removeAttribute("src");
  document.body.classList.remove("open");
}

async function remove() {
  const { id } = shown;
  const neighbour = rowWith(id)?.nextElementSibling ?? rowWith(id)?.previousElementSibling;
  await ask(`/messages/${encodeURIComponent(id)}`, { method: "DELETE" });
  rowWith(id)?.remove();
  if (neighbour) await open(neighbour.dataset.id);
  else close();
  await refreshCount();
}

async function removeAll() {
  if (!confirm("Delete all messages?")) return;
  await ask("/messages?all=true", { method: "DELETE" });
  close();
  await load(false);
}

/** Keys as in most mail programs: j and k go down and up, # deletes. */
async function onKey(event) {
  if (event.target instanceof HTMLInputElement || event.metaKey || event.ctrlKey || event.altKey) return;
  const current = shown === undefined ? undefined : rowWith(shown.id);
  if (event.key === "j") (current?.nextElementSibling ?? list.firstElementChild)?.firstElementChild.click();
  if (event.key === "k") current?.previousElementSibling?.firstElementChild.click();
  if (event.key === "#" && shown !== undefined) await remove();
  if (event.key === "Escape") close();
  if (event.key === "/") {
    event.preventDefault();
    byId("query").focus();
  }
}

byId("search").addEventListener("submit", (event) => event.preventDefault());
let typing;
byId("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    const query = byId("query").value.trim();
    search = query === "" ? new URLSearchParams() : new URLSearchParams({ kind: byId("kind").value, query });
    void load(false);
  }, 200);
});
byId("older").addEventListener("click", () => void load(true));
byId("back").addEventListener("click", close);
byId("delete").addEventListener("click", () => void remove());
byId("remote").addEventListener("click", () => void show("html", true));
byId("delete-all").addEventListener("click", () => void removeAll());
for (const tab of document.querySelectorAll("[role=tab]"))
  tab.addEventListener("click", () => void show(tab.dataset.view));
document.addEventListener("keydown", (event) => void onKey(event));
byId("try").textContent = "npx tablekeep mail send --to you@example.com --subject hello";

const arrivals = new EventSource(`${api}/events`);
arrivals.addEventListener("message", (event) => {
  const message = JSON.parse(event.data);
  // What a search finds, the server decides.
  if (search.has("query")) void load(false);
  else if (!rowWith(message.id)) {
    list.prepend(rowOf(message));
    while (list.childElementCount > maxRows) list.lastElementChild.remove();
    void refreshCount();
  }
});
await load(false);
