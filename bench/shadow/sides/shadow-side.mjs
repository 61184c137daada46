import { unwrap } from "@tablekeep/core";
import { openShadowManager, openShadows } from "@tablekeep/shadow";

/** Our store and manager. */
export function shadowSide(port, table) {
  const shadows = openShadows(port, { table });
  const manager = openShadowManager(port, { table }, { policy: "aws" });
  const half = { on: true, level: 5, name: "x".repeat(200) };
  const versions = new Map();
  let level = 0;
  return {
    async write(id) {
      const version = versions.get(id) ?? 0;
      const [{ outcome }] = await shadows.write([{ id, reported: half, desired: half, version }]);
      versions.set(id, unwrap(outcome).versions.reported);
    },
    async update(id) {
      unwrap(await manager.update({ id, reported: { ...half, level: ++level % 100 }, desired: half }));
    },
  };
}
