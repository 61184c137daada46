/** Opens a screen in a new page. Returns when it was painted first, when its content was there, and the CPU time of this process. */
export async function paint(browser, url, content) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  try {
    const before = process.cpuUsage();
    await page.goto(url, { waitUntil: "commit" });
    await page.locator(content).first().waitFor({ timeout: 300_000 });
    const { user, system } = process.cpuUsage(before);
    const times = await page.evaluate(
      "({ now: performance.now(), first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime })",
    );
    return { firstPaintMs: times.first ?? times.now, contentMs: times.now, cpuMs: (user + system) / 1000 };
  } finally {
    await page.close();
  }
}
