import { defineConfig } from "@playwright/test";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

// For containers, where Chromium has neither a sandbox nor network access.
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];

export default defineConfig({
  testDir: "e2e",
  outputDir: process.env["PLAYWRIGHT_OUTPUT"] ?? "dist/test-results",
  reporter: "line",
  fullyParallel: true,
  workers: 2,
  use: { browserName: "chromium", launchOptions: { executablePath, args } },
});
