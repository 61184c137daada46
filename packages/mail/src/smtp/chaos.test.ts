import { expect, test } from "vitest";
import { type ChaosSettings, createChaos, defaultChaosSettings } from "./chaos.ts";

const calm: ChaosSettings = {
  ...defaultChaosSettings,
  acceptChance: 1,
  disconnectChance: 0,
  linkSpeedAffect: 0,
  rejectSenderChance: 0,
  rejectRecipientChance: 0,
  rejectAuthChance: 0,
};
const half: ChaosSettings = {
  ...calm,
  acceptChance: 0.5,
  disconnectChance: 0.5,
  linkSpeedAffect: 0.5,
  rejectSenderChance: 0.5,
  rejectRecipientChance: 0.5,
  rejectAuthChance: 0.5,
};

/** The faults of 200 connections: those drawn once, and ten draws of each other kind. */
function fates(settings: ChaosSettings) {
  const chaos = createChaos(settings);
  return Array.from({ length: 200 }, () => {
    const fate = chaos.nextConnection();
    const ten = (draw?: () => boolean) => Array.from({ length: 10 }, () => draw?.());
    return {
      accepted: fate?.accepted,
      speed: fate?.bytesPerSecond,
      cuts: ten(fate?.disconnects),
      senders: ten(fate?.rejectsSender),
      recipients: ten(fate?.rejectsRecipient),
      signIns: ten(fate?.rejectsSignIn),
    };
  });
}

test("the same seed produces the same faults, and another seed others", () => {
  expect(fates({ ...half, seed: "1" })).toEqual(fates({ ...half, seed: "1" }));
  expect(fates({ ...half, seed: "1" })).not.toEqual(fates({ ...half, seed: "2" }));
  expect(fates(half)).not.toEqual(fates(half));
});

test("one setting does not change the effect of the others", () => {
  const before = fates({ ...half, seed: "1" });
  const after = fates({ ...half, seed: "1", rejectSenderChance: 0.9 });
  const others = (all: typeof before) => all.map(({ senders: _senders, ...rest }) => rest);
  expect(others(after)).toEqual(others(before));
  expect(after).not.toEqual(before);
});

test("a chance of 0 never happens, 1 always, and 0.5 about half the time", () => {
  const quiet = fates({ ...calm, seed: "1" });
  expect(quiet.every(({ accepted, speed }) => accepted && speed === undefined)).toBe(true);
  expect(quiet.flatMap(({ cuts, senders }) => [...cuts, ...senders])).not.toContain(true);
  const loud = fates({ ...calm, seed: "1", rejectAuthChance: 1, acceptChance: 0, linkSpeedAffect: 1 });
  expect(loud.some(({ accepted }) => accepted)).toBe(false);
  expect(loud.every(({ speed = 0 }) => speed >= 1024 && speed <= 10_240)).toBe(true);
  expect(loud.flatMap(({ signIns }) => signIns)).not.toContain(false);
  const cuts = fates({ ...half, seed: "1" }).flatMap(({ cuts }) => cuts);
  expect(cuts.filter(Boolean).length / cuts.length).toBeCloseTo(0.5, 1);
});

test("is off until it is started and after it is stopped", () => {
  const chaos = createChaos();
  expect([chaos.settings, chaos.nextConnection()]).toEqual([undefined, undefined]);
  chaos.start(half);
  expect(chaos.settings).toEqual(half);
  expect(chaos.nextConnection()).toBeDefined();
  chaos.stop();
  expect(chaos.nextConnection()).toBeUndefined();
});

test.each([
  { acceptChance: 1.1 },
  { rejectAuthChance: -1 },
  { disconnectChance: Number.NaN },
  { linkSpeedMin: 0 },
  { linkSpeedMin: 20, linkSpeedMax: 10 },
  { other: 1 },
])("%j is refused and changes nothing", (wrong) => {
  const chaos = createChaos(half);
  expect(() => chaos.start({ ...calm, ...wrong })).toThrow(
    expect.objectContaining({ code: "MAIL_OPTION_INVALID" }),
  );
  expect(chaos.settings).toEqual(half);
});
